/** A run of the agent: its events in order, and the readers that wait for more. */
import type { Message } from "@pageside/core";
import { fold, insertToolMessage, type Transcript } from "@pageside/core/events";
import { frameOf, type AgUiEvent, type RunInput } from "./events.js";
import type { OpenCall, Script } from "./script.js";

/** A script to continue after a run that ended: it waits for the open calls, or it failed. */
export interface Waiting {
  script: Script;
  open: readonly OpenCall[];
  /** The message that was cut, which a run may go on with. */
  cut?: string;
}

/** Who waits for the next change of something. */
export class Waiters {
  readonly #waiting = new Set<() => void>();

  /** Resolves with the next change, or when the reader leaves. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener("abort", done);
    });
  }

  wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}

/** One run: its events, and who reads them. */
export class Run {
  readonly id: string;
  readonly threadId: string;
  readonly input: RunInput;
  /** The request, to tell the same one from another. */
  readonly body: string;
  readonly frames: string[] = [];
  readonly createdAt: string;
  /** The run before it on its branch; absent for the first. */
  readonly parent: Run | undefined;
  /** The new messages of the client: the user's questions and the results of tools. */
  readonly brought: readonly Message[];
  /** The messages that it began with: those before it, and the new ones. */
  readonly startMessages: readonly Message[];
  /** The shared state that it began with. */
  readonly startState: unknown;
  waiting: Waiting | undefined;
  /** What it named the thread. */
  title: string | undefined;
  end: (AgUiEvent & { type: "RUN_FINISHED" | "RUN_ERROR" }) | undefined;
  #transcript: Transcript;
  readonly #cancelled = new AbortController();
  readonly #readers = new Waiters();

  constructor(
    input: RunInput,
    body: string,
    messages: { before: readonly Message[]; brought: readonly Message[] },
    place: { parent: Run | undefined; createdAt: string },
  ) {
    this.id = input.runId;
    this.threadId = input.threadId;
    this.input = input;
    this.body = body;
    this.brought = messages.brought;
    this.parent = place.parent;
    this.createdAt = place.createdAt;
    const state = stateOf(input) ?? this.parent?.state;
    this.startMessages = this.brought.reduce(withBrought, messages.before);
    this.startState = state;
    this.#transcript = { messages: this.startMessages, state };
  }

  /** Aborted when the run is cancelled. */
  get signal(): AbortSignal {
    return this.#cancelled.signal;
  }

  cancel(): void {
    if (!this.end) this.#cancelled.abort();
  }

  emit(event: AgUiEvent): void {
    if (this.end) throw new Error(`A ${event.type} after the end of run ${this.id}.`);
    this.#transcript = fold(this.#transcript, event);
    this.frames.push(frameOf(`${this.id}:1.${this.frames.length + 1}`, event));
    if (event.type === "CUSTOM" && event.name === "conversation_title") this.title = String(event.value);
    if (event.type === "RUN_FINISHED" || event.type === "RUN_ERROR") this.end = event;
    this.#readers.wake();
  }

  /** The messages of the branch up to here. */
  get messages(): readonly Message[] {
    return this.#transcript.messages;
  }

  /** The shared state up to here. */
  get state(): unknown {
    return this.#transcript.state;
  }

  /** The frames behind a position, until the run ends or the reader leaves. */
  async *read(after: string | null, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    for (let at = Number(after?.split(".").at(-1) ?? 0); ;) {
      while (at < this.frames.length) yield this.frames[at++]!;
      if (this.end || signal.aborted) return;
      await this.#readers.next(signal);
    }
  }
}

/** The state that a client sends; undefined stands for what there was before. */
function stateOf({ state }: RunInput): unknown {
  return typeof state === "object" && state !== null && Object.keys(state).length > 0 ? state : undefined;
}

function withBrought(messages: readonly Message[], message: Message): readonly Message[] {
  return message.role === "tool" ? insertToolMessage(messages, message) : [...messages, message];
}
