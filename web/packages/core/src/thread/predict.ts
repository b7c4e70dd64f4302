/**
 * Predictive state: while the arguments of a tool call stream, the state shows what they will set.
 * The agent announces it with the event `CUSTOM` `PredictState`, as AG-UI's examples do.
 */
import { isObject } from "../base/values.js";
import type { AgUiEvent } from "../protocol/events.js";
import type { ToolCallState } from "../tools/types.js";

/** Which argument of which tool shows as which member of the state. */
interface Rule {
  tool: string;
  /** The whole arguments if absent. */
  argument: string | undefined;
  key: string;
}

const OPEN = /^(pending|executing|awaiting-approval)$/;

/** The calls of a thread whose arguments show in the state. */
export class Prediction {
  #rules: readonly Rule[] = [];
  /** By call; `ended` once the arguments are complete. */
  readonly #calls = new Map<string, { rules: readonly Rule[]; ended: boolean }>();

  /** Takes over what a `PredictState` event announces. */
  announce(value: unknown): void {
    this.#rules = (Array.isArray(value) ? value : []).flatMap(ruleOf);
  }

  apply(event: AgUiEvent): void {
    switch (event.type) {
      case "RUN_STARTED":
        this.#rules = [];
        return;
      case "TOOL_CALL_START": {
        const rules = this.#rules.filter(({ tool }) => tool === event.toolCallName);
        if (rules.length > 0) this.#calls.set(event.toolCallId, { rules, ended: false });
        return;
      }
      case "TOOL_CALL_END":
        return this.#end(event.toolCallId);
      case "TOOL_CALL_RESULT":
        return void this.#calls.delete(event.toolCallId);
      case "STATE_SNAPSHOT":
      case "STATE_DELTA": // what complete arguments set has been committed, or something newer
        return this.#keep((_, { ended }) => !ended);
      case "RUN_ERROR":
        return this.#calls.clear();
      case "RUN_FINISHED":
        return this.#keep((id) => waitsFor(event, id));
      default:
    }
  }

  /** The state with what the calls will set. Calls that are over set nothing. */
  over(state: unknown, calls: Readonly<Record<string, ToolCallState>>): unknown {
    let shown = state;
    for (const [id, { rules }] of this.#calls) {
      const call = calls[id];
      if (!call || !OPEN.test(call.status)) continue;
      for (const { argument, key } of rules) {
        const value = argument === undefined ? call.args : isObject(call.args) ? call.args[argument] : undefined;
        if (value !== undefined) shown = { ...(isObject(shown) && shown), [key]: value };
      }
    }
    return shown;
  }

  #end(id: string): void {
    const call = this.#calls.get(id);
    if (call) call.ended = true;
  }

  #keep(isKept: (id: string, call: { ended: boolean }) => boolean): void {
    for (const [id, call] of this.#calls) if (!isKept(id, call)) this.#calls.delete(id);
  }
}

/** Reports whether a run ended with a call that waits for the page or a person. */
function waitsFor({ outcome }: Extract<AgUiEvent, { type: "RUN_FINISHED" }>, id: string): boolean {
  if (outcome?.type === "interrupt") return outcome.interrupts.some(({ toolCallId }) => toolCallId === id);
  return outcome?.type === "success" && outcome.pendingToolCallIds?.includes(id) === true;
}

/** A rule as it is announced. `state_key` is the name of a member of the state. */
function ruleOf(given: unknown): Rule[] {
  if (!isObject(given)) return [];
  const { state_key: key, tool, tool_argument: argument } = given;
  if (typeof key !== "string" || typeof tool !== "string") return [];
  return [{ tool, argument: typeof argument === "string" && argument !== "" ? argument : undefined, key }];
}
