/**
 * The tool calls of a thread, for the user interface: read from its messages, and from what no
 * message says of them, such as who runs one and how far it is.
 */
import { bare, isObjectOrArray, membersOf } from "../base/values.js";
import type { ToolCall } from "@ag-ui/core";
import type { AgUiEvent } from "../protocol/events.js";
import { toolCallsOf } from "../protocol/messages.js";
import { parsePartialJson } from "../protocol/partial-json.js";
import type { Message } from "../protocol/types.js";
import type { ToolCallState, ToolProgress } from "./types.js";

/** What may change of a call. */
export type CallChange = Partial<Omit<ToolCallState, "id">>;

/**
 * What no message says of a call. What it has holds over the messages: without a `status` the call
 * is as its result says.
 */
export type CallProgress = Pick<ToolCallState, "frontend" | "startedAt"> & CallChange;

/** By the ids of the calls. */
export type Progress = ReadonlyMap<string, CallProgress>;

/** The calls as a snapshot has them. Without a prototype, because ids are arbitrary. */
export type CallStates = Readonly<Record<string, ToolCallState>>;

/** Errors that are not the tool's failures: the call was denied, or the user stopped the run. */
const UNDONE: Readonly<Record<string, ToolCallState["status"] | undefined>> = {
  denied: "denied",
  not_permitted: "denied",
  interrupted: "cancelled",
};

const NONE: CallStates = bare();

const isOpen = ({ status = "complete" }: CallProgress) => /^(pending|executing|awaiting-approval)$/.test(status);

// -------------------------------------------------------------- what no message says

/** Changes what is known of a call, if there is one with that id. */
export function withCall(progress: Progress, id: string, change: CallChange): Progress {
  const call = progress.get(id);
  return call ? new Map(progress).set(id, { ...call, ...change }) : progress;
}

/** Settles every call that is still open. */
export function settled(progress: Progress, change: CallChange): Progress {
  const settle = (call: CallProgress) => (isOpen(call) ? { ...call, endedAt: Date.now(), ...change } : call);
  return new Map([...progress].map(([id, call]) => [id, settle(call)]));
}

/** What an event says beside what it writes into the messages. */
export function progressAfter(progress: Progress, event: AgUiEvent, isFrontend: (name: string) => boolean): Progress {
  switch (event.type) {
    case "TOOL_CALL_START": {
      const { toolCallId: id, toolCallName: name } = event;
      if (progress.has(id)) return progress;
      return new Map(progress).set(id, { frontend: isFrontend(name), status: "pending", startedAt: Date.now() });
    }
    case "TOOL_CALL_END": {
      const call = progress.get(event.toolCallId);
      if (!call || call.frontend || !isOpen(call)) return progress;
      return withCall(progress, event.toolCallId, { status: "executing" });
    }
    case "TOOL_CALL_RESULT":
      return answered(progress, event.toolCallId, { frontend: false, endedAt: Date.now() });
    case "CUSTOM":
      return event.name === "tool_progress" ? reported(progress, event.value) : progress;
    case "RUN_FINISHED":
      return event.outcome?.type === "interrupt" ? awaited(progress, event.outcome.interrupts) : progress;
    default:
      return progress;
  }
}

/** From now on the result says what became of the call. */
function answered(progress: Progress, id: string, change: CallChange): Progress {
  const call = progress.get(id);
  if (!call) return progress;
  const { status: _, result: __, error: ___, ...kept } = call;
  return new Map(progress).set(id, { ...kept, ...change });
}

function reported(progress: Progress, value: unknown): Progress {
  const { toolCallId, stage, message, progress: fraction } = membersOf(value);
  const call = progress.get(String(toolCallId));
  if (!call || !isOpen(call)) return progress;
  const next: ToolProgress = { stage: String(stage ?? ""), message: String(message ?? "") };
  if (typeof fraction === "number") next.fraction = Math.min(1, Math.max(0, fraction));
  return withCall(progress, String(toolCallId), { progress: next });
}

function awaited(progress: Progress, interrupts: readonly { toolCallId?: string }[]): Progress {
  return interrupts.reduce(
    (all, { toolCallId = "" }) => withCall(all, toolCallId, { status: "awaiting-approval" }),
    progress,
  );
}

/**
 * Takes over the calls of complete messages, from a loaded thread or a snapshot. A call without a
 * result stays pending if it follows the last question.
 */
export function learned(
  progress: Progress,
  messages: readonly Message[],
  isFrontend: (name: string) => boolean,
  timeOf = Date.now,
): Progress {
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  let all = new Map(progress);
  messages.forEach((message, index) => {
    for (const { id, function: called } of toolCallsOf(message)) {
      const status = index > lastUser ? "pending" : "cancelled";
      if (!all.has(id)) all.set(id, { frontend: isFrontend(called.name), status, startedAt: timeOf() });
    }
    if (message.role !== "tool") return;
    const { status, result, error } = all.get(message.toolCallId) ?? {};
    const isKnown = status === undefined || result !== undefined || error !== undefined;
    if (!isKnown) all = answered(all, message.toolCallId, { endedAt: timeOf() }) as typeof all;
  });
  return all;
}

// -------------------------------------------------------------- what is shown

/** What the state of a call was made of, so that it is made anew only when one of these changes. */
interface Source {
  call: ToolCall;
  result: Message | undefined;
  progress: CallProgress;
}

const sources = new WeakMap<ToolCallState, Source>();

/** What the calls of a thread were read from. */
interface Read {
  messages: readonly Message[];
  progress: Progress;
}

const reads = new WeakMap<CallStates, Read>();

/** The calls of the messages. What has not changed is as in `last`: all of it, or some calls. */
export function callStates(messages: readonly Message[], progress: Progress, last: CallStates = NONE): CallStates {
  const before = reads.get(last);
  // as for each word of an answer, in a thread that may have hundreds of calls
  if (before?.progress === progress && !tellsOfCalls(before.messages, messages)) return last;
  const results = new Map<string, Message>();
  for (const message of messages) if (message.role === "tool") results.set(message.toolCallId, message);
  const states = bare<Record<string, ToolCallState>>();
  for (const message of messages)
    for (const call of toolCallsOf(message)) {
      const known = progress.get(call.id);
      if (known) states[call.id] = stateOf({ call, result: results.get(call.id), progress: known }, last[call.id]);
    }
  const ids = Object.keys(states);
  const isSame = ids.length === Object.keys(last).length && ids.every((id) => states[id] === last[id]);
  const shown = isSame ? last : states;
  reads.set(shown, { messages, progress });
  return shown;
}

/** Reports whether the messages that have changed tell anything of calls. */
function tellsOfCalls(before: readonly Message[], after: readonly Message[]): boolean {
  const isAbout = (message: Message | undefined) =>
    message !== undefined && (message.role === "tool" || toolCallsOf(message).length > 0);
  return (
    after.length < before.length ||
    after.some((message, index) => message !== before[index] && (isAbout(message) || isAbout(before[index])))
  );
}

function stateOf(source: Source, last: ToolCallState | undefined): ToolCallState {
  const { call, result, progress } = source;
  const before = last && sources.get(last);
  if (before?.call === call && before.result === result && before.progress === progress) return last!;
  const { name, arguments: argsText } = call.function;
  const said = { id: call.id, name, argsText, args: parsePartialJson(argsText) };
  const state = { ...said, ...(progress.status ? { status: progress.status } : outcomeOf(result)), ...progress };
  sources.set(state, source);
  return state;
}

/** What the result of a call says. */
function outcomeOf(message: Message | undefined): Pick<ToolCallState, "status" | "result" | "error"> {
  if (!message) return { status: "pending" };
  const { content } = message;
  const result = typeof content === "string" ? parseOrText(content) : content;
  const error = errorOf(result);
  return error
    ? { status: UNDONE[error.code ?? ""] ?? "failed", result: undefined, error }
    : { status: "complete", result, error };
}

function parseOrText(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}

/**
 * The error a result reports by convention: `{"error": {"message": …, "code": …}}`, or
 * `{"error": message}` and nothing else.
 */
function errorOf(result: unknown): ToolCallState["error"] {
  const members = membersOf(result);
  const { error } = members;
  if (typeof error === "string" && Object.keys(members).length === 1) return { message: error };
  if (!isObjectOrArray(error)) return undefined;
  const { message, code, type, details } = error;
  const known = code ?? type;
  return {
    message: String(message ?? "The tool failed."),
    ...(known !== undefined && { code: String(known) }),
    ...(Array.isArray(details) && { details: details.map(String) }),
  };
}
