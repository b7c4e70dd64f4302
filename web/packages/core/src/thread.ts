/** What is known of a thread, and how events change it. It asks nobody and runs nothing. */
import type { AgUiEvent, EventOf } from "./events.js";
import { fold, withMissing } from "./fold.js";
import type { Later } from "./run.js";
import type { ToolCalls } from "./tool-calls.js";
import type { Message, OpenInterrupt, ThreadSnapshot } from "./types.js";

/** The snapshot without what is kept elsewhere. */
export type View = Omit<ThreadSnapshot, "toolCalls" | "model">;

const NO_CALLS: ThreadSnapshot["toolCalls"] = Object.create(null) as ThreadSnapshot["toolCalls"];

export class Thread {
  /** Absent until the first one is heard of. */
  calls: ToolCalls | undefined;
  /** `messages` are those the server has taken. */
  view: View;
  /** Messages of the user, and results of tools, that no run has taken yet. */
  unsent: readonly Message[] = [];
  /** Called after a change: `true` when it should be seen at once. */
  readonly #changed: (now: boolean) => void;
  readonly #isFrontend: (name: string) => boolean;

  constructor(threadId: string, isFrontend: (name: string) => boolean, changed: (now: boolean) => void) {
    this.#isFrontend = isFrontend;
    this.#changed = changed;
    this.view = {
      threadId,
      messages: [],
      status: "idle",
      connection: "idle",
      stoppedMessageIds: [],
      interrupts: [],
      queue: [],
      queueHeld: false,
      state: undefined,
    };
  }

  snapshot(): ThreadSnapshot {
    return { ...this.view, messages: this.messages(), toolCalls: this.calls?.record() ?? NO_CALLS };
  }

  /** All messages, those that are on their way at the end. */
  messages(): readonly Message[] {
    const asked = this.unsent.filter(({ role }) => role === "user");
    return asked.length > 0 ? [...this.view.messages, ...asked] : this.view.messages;
  }

  set(change: Partial<View>, now = true): void {
    this.view = { ...this.view, ...change };
    this.#changed(now);
  }

  /** What was changed with `apply`, or in the calls, can be seen soon. */
  touch(): void {
    this.#changed(false);
  }

  /** The tool calls, which cannot be had before `later` is loaded. */
  callsOf(later: Pick<Later, "ToolCalls">): ToolCalls {
    return (this.calls ??= new later.ToolCalls(this.#isFrontend));
  }

  apply(event: AgUiEvent, later?: Later): void {
    const { type } = event;
    this.view = fold(this.view, event, later?.foldRare);
    if (later) this.callsOf(later);
    this.calls?.apply(event);
    if (type === "MESSAGES_SNAPSHOT") this.calls?.learn(this.view.messages);
    if (type === "CUSTOM") this.#applyCustom(event);
    if (type === "TOOL_CALL_RESULT") this.#close(({ toolCallId }) => toolCallId !== event.toolCallId);
    if (type === "RUN_FINISHED") {
      this.view.interrupts = event.outcome?.type === "interrupt" ? event.outcome.interrupts : [];
    }
    if (/^(TEXT|REASONING)_MESSAGE_/.test(type)) {
      this.view.streamingMessageId = type.endsWith("END") ? undefined : (event as { messageId: string }).messageId;
    }
    if (/^(TEXT|REASONING|TOOL|ACTIVITY)_/.test(type)) {
      this.view.retrying = undefined;
      if (/submitted|idle/.test(this.view.status)) this.view.status = "streaming";
    }
  }

  /** The server has taken these messages. Results of tools stand where they belong already. */
  accept(messages: readonly Message[]): void {
    this.unsent = this.unsent.filter((message) => !messages.includes(message));
    const asked = messages.filter(({ role }) => role === "user");
    this.view.messages = withMissing(this.view.messages, asked);
  }

  markStopped(before: ReadonlySet<string>): void {
    const messages = this.messages();
    const last = messages.findLast(({ id, role }) => role === "assistant" && !before.has(id)) ?? messages.at(-1);
    if (last) this.view.stoppedMessageIds = [...this.view.stoppedMessageIds, last.id];
  }

  #close(isOpen: (interrupt: OpenInterrupt) => boolean): void {
    const { interrupts } = this.view;
    if (!interrupts.every(isOpen)) this.view.interrupts = interrupts.filter(isOpen);
  }

  #applyCustom({ name, value }: EventOf<"CUSTOM">): void {
    if (name === "conversation_title" && typeof value === "string") this.view.title = value;
    if (name === "retrying") this.view.retrying = typeof value === "object" && value !== null ? value : {};
  }
}
