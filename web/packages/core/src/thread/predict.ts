/**
 * Predictive state: while the arguments of a tool call stream, the state shows what they will set.
 * The agent announces it with the event `CUSTOM` `PredictState`, as AG-UI's examples do.
 */
import { isObject } from "../base/values.js";
import type { AgUiEvent } from "../protocol/events.js";
import type { CallStates } from "../tools/calls.js";

/** Which argument of which tool shows as which member of the state. */
interface Rule {
  tool: string;
  /** The whole arguments if absent. */
  argument: string | undefined;
  key: string;
}

const OPEN = /^(pending|executing|awaiting-approval)$/;

/** What streaming arguments will set in the state of a thread. */
export interface Predicted {
  readonly rules: readonly Rule[];
  /** By call; `ended` once the arguments are complete. */
  readonly calls: ReadonlyMap<string, { rules: readonly Rule[]; ended?: boolean }>;
}

const NO_CALLS: Predicted["calls"] = new Map();

/** What an event makes of it. Nothing is predicted until a `PredictState` event announces it. */
export function predictedAfter(predicted: Predicted | undefined, event: AgUiEvent): Predicted | undefined {
  const { rules = [], calls = NO_CALLS } = predicted ?? {};
  if (event.type === "CUSTOM" && event.name === "PredictState") return { rules: rulesOf(event.value), calls };
  if (!predicted) return undefined;
  const keep = (isKept: (id: string, ended?: boolean) => boolean) => ({
    rules,
    calls: new Map([...calls].filter(([id, { ended }]) => isKept(id, ended))),
  });
  switch (event.type) {
    case "RUN_STARTED":
      return { rules: [], calls };
    case "TOOL_CALL_START": {
      const own = rules.filter(({ tool }) => tool === event.toolCallName);
      return own.length > 0 ? { rules, calls: new Map(calls).set(event.toolCallId, { rules: own }) } : predicted;
    }
    case "TOOL_CALL_END": {
      const call = calls.get(event.toolCallId);
      return call ? { rules, calls: new Map(calls).set(event.toolCallId, { ...call, ended: true }) } : predicted;
    }
    case "TOOL_CALL_RESULT":
      return keep((id) => id !== event.toolCallId);
    case "STATE_SNAPSHOT":
    case "STATE_DELTA": // what complete arguments set has been committed, or something newer
      return keep((_, ended) => !ended);
    case "RUN_ERROR":
      return keep(() => false);
    case "RUN_FINISHED":
      return keep((id) => waitsFor(event, id));
    default:
      return predicted;
  }
}

/** The state with what the calls will set. Calls that are over set nothing. */
export function withPredicted(state: unknown, predicted: Predicted, states: CallStates): unknown {
  let shown = state;
  for (const [id, { rules }] of predicted.calls) {
    const call = states[id];
    if (!call || !OPEN.test(call.status)) continue;
    for (const { argument, key } of rules) {
      const value = argument === undefined ? call.args : isObject(call.args) ? call.args[argument] : undefined;
      if (value !== undefined) shown = { ...(isObject(shown) && shown), [key]: value };
    }
  }
  return shown;
}

/** Reports whether a run ended with a call that waits for the page or a person. */
function waitsFor({ outcome }: Extract<AgUiEvent, { type: "RUN_FINISHED" }>, id: string): boolean {
  if (outcome?.type === "interrupt") return outcome.interrupts.some(({ toolCallId }) => toolCallId === id);
  return outcome?.type === "success" && outcome.pendingToolCallIds?.includes(id) === true;
}

const rulesOf = (value: unknown) => (Array.isArray(value) ? value : []).flatMap(ruleOf);

/** A rule as it is announced. `state_key` is the name of a member of the state. */
function ruleOf(given: unknown): Rule[] {
  if (!isObject(given)) return [];
  const { state_key: key, tool, tool_argument: argument } = given;
  if (typeof key !== "string" || typeof tool !== "string") return [];
  return [{ tool, argument: typeof argument === "string" && argument !== "" ? argument : undefined, key }];
}
