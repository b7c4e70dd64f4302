/**
 * What is known of a thread. It makes no requests and runs nothing. `apply.ts` says how events
 * change it.
 */
import type { ToolCalls } from "../tools/calls.js";
import type { PayloadStatus } from "../protocol/pageside.js";
import type { Message } from "../protocol/types.js";
import type { Prediction } from "./predict.js";
import type { ThreadSnapshot } from "./types.js";

/** The snapshot, without the parts that are kept elsewhere. */
export type View = Omit<ThreadSnapshot, "toolCalls" | "model">;

const NO_CALLS: ThreadSnapshot["toolCalls"] = Object.create(null) as ThreadSnapshot["toolCalls"];

/** What is known of a thread. */
export class Thread {
  /** Absent until there is one. */
  calls: ToolCalls | undefined;
  /** `messages` are those the server has taken. */
  view: View;
  /** Messages of the user, and results of tools, that no run has taken yet. */
  unsent: readonly Message[] = [];
  /**
   * The run that is being read, and the runs whose usage was counted, so that none counts twice.
   */
  runId: string | undefined;
  readonly counted = new Set<string | undefined>();
  /** What the user has decided about payloads here, in order. */
  decided: readonly { id: string; status: PayloadStatus }[] = [];
  /** The shared state as the server has it, without what this page has changed since. */
  base: unknown;
  /** Fills in what plug-ins contribute to the shared state. */
  readonly withInitial: (state: unknown) => unknown;
  /** What streaming arguments will set in the shared state. */
  prediction: Prediction | undefined;
  /** Called after the server has changed the shared state. */
  onState: (() => void) | undefined;
  /** Called after a change; with `true` if it should show at once. */
  readonly #changed: (now: boolean) => void;
  /** Reports whether a tool of that name runs in this page. */
  readonly isFrontend: (name: string) => boolean;

  constructor(
    threadId: string,
    isFrontend: (name: string) => boolean,
    changed: (now: boolean) => void,
    withInitial = (state: unknown) => state,
  ) {
    this.isFrontend = isFrontend;
    this.withInitial = withInitial;
    this.#changed = changed;
    this.view = {
      threadId,
      messages: [],
      status: "idle",
      connection: "idle",
      stoppedMessageIds: [],
      questions: [],
      queue: [],
      queueHeld: false,
      state: withInitial(undefined),
    };
  }

  snapshot(): ThreadSnapshot {
    const toolCalls = this.calls?.record() ?? NO_CALLS;
    const state = this.prediction?.over(this.view.state, toolCalls) ?? this.view.state;
    return { ...this.view, messages: this.messages(), toolCalls, state };
  }

  /** All messages; those not yet taken by the server come last. */
  messages(): readonly Message[] {
    const asked = this.unsent.filter(({ role }) => role === "user");
    return asked.length > 0 ? [...this.view.messages, ...asked] : this.view.messages;
  }

  set(change: Partial<View>, now = true): void {
    this.view = { ...this.view, ...change };
    this.#changed(now);
  }

  /** Publishes soon what changed in the thread or its calls. */
  touch(): void {
    this.#changed(false);
  }
}
