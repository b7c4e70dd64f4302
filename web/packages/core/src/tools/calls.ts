/**
 * The state of every tool call of a thread, for the user interface: from the messages and from what
 * runs right now.
 */
import type { AgUiEvent, EventOf } from "../protocol/events.js";
import { toolCallsOf } from "../protocol/messages.js";
import { parsePartialJson } from "../protocol/partial-json.js";
import type { Message } from "../protocol/types.js";
import type { ToolCallState, ToolProgress } from "./types.js";

type Change = Partial<Omit<ToolCallState, "id" | "name">>;

/** Errors that are not the tool's failures: the call was denied, or the user stopped the run. */
const UNDONE: Readonly<Record<string, ToolCallState["status"] | undefined>> = {
  denied: "denied",
  not_permitted: "denied",
  interrupted: "cancelled",
};
const SETTLED = new Set<ToolCallState["status"]>(["complete", "failed", "denied", "cancelled"]);

/** The tool calls of one thread. */
export class ToolCalls {
  #calls = new Map<string, ToolCallState>();
  #streaming = new Set<string>();
  #record: Readonly<Record<string, ToolCallState>> | undefined;
  readonly #isFrontend: (name: string) => boolean;

  /** `isFrontend` reports whether a tool of that name runs in this page. */
  constructor(isFrontend: (name: string) => boolean) {
    this.#isFrontend = isFrontend;
  }

  get(id: string): ToolCallState | undefined {
    return this.#calls.get(id);
  }

  change(id: string, change: Change): void {
    const call = this.#calls.get(id);
    if (call) this.#set({ ...call, ...change });
  }

  /**
   * All calls by id, in an object without a prototype, because ids are arbitrary. The same object
   * until something changes.
   */
  record(): Readonly<Record<string, ToolCallState>> {
    for (const id of this.#streaming) this.#readArgs(id);
    this.#streaming.clear();
    this.#record ??= Object.assign(Object.create(null), Object.fromEntries(this.#calls)) as Record<
      string,
      ToolCallState
    >;
    return this.#record;
  }

  apply(event: AgUiEvent): void {
    switch (event.type) {
      case "TOOL_CALL_START":
        return this.#start(event);
      case "TOOL_CALL_ARGS": {
        const call = this.#calls.get(event.toolCallId);
        if (!call) return;
        this.#streaming.add(call.id); // parsed when it is read, not for each delta
        return this.#set({ ...call, argsText: call.argsText + (event.delta ?? "") });
      }
      case "TOOL_CALL_END": {
        const call = this.#calls.get(event.toolCallId);
        if (!call) return;
        this.#streaming.delete(call.id);
        const status = call.frontend || SETTLED.has(call.status) ? call.status : "executing";
        return this.#set({ ...call, status, args: parsePartialJson(call.argsText) });
      }
      case "TOOL_CALL_RESULT":
        return this.answer(event.toolCallId, event.content, { frontend: false });
      case "CUSTOM":
        return event.name === "tool_progress" ? this.#progress(event.value) : undefined;
      case "RUN_FINISHED":
        return event.outcome?.type === "interrupt" ? this.#await(event.outcome.interrupts) : undefined;
      default:
    }
  }

  /** Settles a call with the content of its tool message. */
  answer(id: string, content: unknown, more: Change = {}): void {
    const call = this.#calls.get(id);
    if (!call) return;
    const result = typeof content === "string" ? parseOrText(content) : content;
    const error = errorOf(result);
    const status = error ? (UNDONE[error.code ?? ""] ?? "failed") : "complete";
    this.#set({ ...call, endedAt: Date.now(), ...more, status, result, error });
  }

  /** Settles every call that is still open. */
  settleOpen(change: Change): void {
    for (const call of this.#calls.values()) {
      if (!SETTLED.has(call.status)) this.#set({ ...call, ...change, endedAt: Date.now() });
    }
  }

  /**
   * Takes over the calls of complete messages, from a loaded thread or a snapshot. A call without a
   * result stays pending if it follows the last question.
   */
  learn(messages: readonly Message[], timeOf: (message: Message) => number = Date.now): void {
    const lastUser = messages.findLastIndex(({ role }) => role === "user");
    messages.forEach((message, index) => {
      for (const {
        id,
        function: { name, arguments: argsText },
      } of toolCallsOf(message)) {
        if (this.#calls.has(id)) continue;
        const status = index > lastUser ? "pending" : "cancelled";
        const args = parsePartialJson(argsText);
        this.#set({ id, name, argsText, args, status, frontend: this.#isFrontend(name), startedAt: timeOf(message) });
      }
      if (message.role !== "tool") return;
      const call = this.#calls.get(message.toolCallId);
      if (call && call.result === undefined && !call.error) {
        this.answer(call.id, message.content, { endedAt: timeOf(message) });
      }
    });
  }

  #start({ toolCallId: id, toolCallName: name }: EventOf<"TOOL_CALL_START">): void {
    const known = this.#calls.get(id);
    this.#set(
      known
        ? { ...known, name }
        : { id, name, frontend: this.#isFrontend(name), status: "pending", argsText: "", startedAt: Date.now() },
    );
  }

  #progress(value: unknown): void {
    const { toolCallId, stage, message, progress } = (value ?? {}) as Record<string, unknown>;
    const call = this.#calls.get(String(toolCallId));
    if (!call || SETTLED.has(call.status)) return;
    const next: ToolProgress = { stage: String(stage ?? ""), message: String(message ?? "") };
    if (typeof progress === "number") next.fraction = Math.min(1, Math.max(0, progress));
    this.#set({ ...call, progress: next });
  }

  #await(interrupts: readonly { toolCallId?: string }[]): void {
    for (const { toolCallId } of interrupts) if (toolCallId) this.change(toolCallId, { status: "awaiting-approval" });
  }

  #readArgs(id: string): void {
    const call = this.#calls.get(id)!;
    this.#set({ ...call, args: parsePartialJson(call.argsText) ?? call.args });
  }

  #set(call: ToolCallState): void {
    this.#calls.set(call.id, call);
    this.#record = undefined;
  }
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
  const error = (result as { error?: unknown } | null | undefined)?.error;
  if (typeof error === "string" && Object.keys(result as object).length === 1) return { message: error };
  if (typeof error !== "object" || error === null) return undefined;
  const { message, code, type, details } = error as Record<string, unknown>;
  const known = code ?? type;
  return {
    message: String(message ?? "The tool failed."),
    ...(known !== undefined && { code: String(known) }),
    ...(Array.isArray(details) && { details: details.map(String) }),
  };
}
