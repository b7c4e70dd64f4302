/**
 * What is known of a thread. It makes no requests and runs nothing. `apply.ts` says what events
 * make of it.
 */
import { bare } from "../base/values.js";
import type { PayloadStatus } from "../protocol/pageside.js";
import type { Message } from "../protocol/types.js";
import type { Progress } from "../tools/calls.js";
import type { Predicted } from "./predict.js";
import type { ThreadSnapshot } from "./types.js";

/** The part of a snapshot that is kept as it is shown. */
export type View = Omit<ThreadSnapshot, "toolCalls" | "model">;

/** All that is known of a thread. It is never changed in place: see `Thread.update`. */
export interface ThreadData extends View {
  /** Those that the server has taken. */
  messages: readonly Message[];
  /** Messages of the user, and results of tools, that no run has taken yet. */
  unsent: readonly Message[];
  /** What no message says of the tool calls. */
  progress: Progress;
  /** What streaming arguments will set in the shared state. */
  predicted?: Predicted;
  /** The shared state as the server has it, without what this page has changed since. */
  base?: unknown;
  /** What the user has decided about payloads here, in order. */
  decided: readonly { id: string; status: PayloadStatus }[];
  /**
   * The run that is being read, and the runs whose usage was counted, so that none counts twice.
   */
  runId?: string;
  counted: ReadonlySet<string | undefined>;
}

/** What a thread asks of the page. */
export interface ThreadPage {
  /** Reports whether a tool of that name runs in this page. */
  isFrontend(name: string): boolean;
  /** Fills in what plug-ins contribute to the shared state. */
  withInitial(state: unknown): unknown;
}

const NO_CALLS: ThreadSnapshot["toolCalls"] = bare();

/** What is known of a thread. */
export class Thread {
  data: ThreadData;
  readonly page: ThreadPage;
  /** Called after a change; with `true` if it should show at once. */
  readonly #changed: (now: boolean) => void;

  constructor(threadId: string, page: ThreadPage, changed: (now: boolean) => void, queue: View["queue"] = []) {
    this.page = page;
    this.#changed = changed;
    this.data = {
      threadId,
      messages: [],
      status: "idle",
      connection: "idle",
      stoppedMessageIds: [],
      questions: [],
      queue,
      queueHeld: false,
      state: page.withInitial(undefined),
      unsent: [],
      progress: new Map(),
      decided: [],
      counted: new Set(),
    };
  }

  /**
   * The only way to change what is known: some of it, or all by a function of what was known. Shows
   * at once, or soon, together with all that changes by then.
   */
  update(change: Partial<ThreadData> | ((data: ThreadData) => ThreadData), when: "now" | "soon" = "now"): void {
    this.data = typeof change === "function" ? change(this.data) : { ...this.data, ...change };
    this.#changed(when === "now");
  }

  /** All messages; those not yet taken by the server come last. */
  messages(): readonly Message[] {
    const { messages, unsent } = this.data;
    const asked = unsent.filter(({ role }) => role === "user");
    return asked.length > 0 ? [...messages, ...asked] : messages;
  }

  /** What is shown of a thread that has no tool calls. */
  snapshot(): ThreadSnapshot {
    const { unsent: _1, progress: _2, predicted: _3, base: _4, decided: _5, runId: _6, counted: _7, ...shown } = this.data; // prettier-ignore
    return { ...shown, messages: this.messages(), toolCalls: NO_CALLS };
  }
}
