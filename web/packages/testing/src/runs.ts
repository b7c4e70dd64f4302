/** Begins runs: finds what is new in the messages, and leaves to others what is said. */
import type { Message } from "@pageside/core";
import { toolCallsOf } from "@pageside/core/events";
import type { RunInput } from "./events.js";
import { Run, type Waiting } from "./run.js";
import { refusal } from "./streams.js";
import { Thread } from "./threads.js";

/** A minute between two runs, so that sorting by time keeps their order. */
const MINUTE = 60_000;

/** A run that is about to begin. */
export interface Asked {
  input: RunInput;
  /** The user's new message; absent where the client only answers what waits. */
  question: Message | undefined;
  /** What waits at the end of the branch. */
  waiting: Waiting | undefined;
  /** The branch before the run. */
  messages: readonly Message[];
}

/** Emits the events of a run after its first, up to its end. */
type Play = (run: Run) => Promise<void>;

/** What becomes of it: a refusal, what plays it, or neither: the thread is only told. */
export type Chosen = Response | Play | undefined;

/** Decides what a run does. */
type Choose = (asked: Asked) => Promise<Chosen>;

/** All runs of the agent, and the threads that they are on. */
export class Runs {
  readonly inputs: RunInput[] = [];
  readonly threads = new Map<string, Thread>();
  readonly all = new Map<string, Run>();
  readonly #choose: Choose;
  readonly #starting = new Map<string, Promise<Run | Response>>();

  constructor(choose: Choose) {
    this.#choose = choose;
  }

  /** The run of a request: a new one, the same one if the request is repeated, or a refusal. */
  start(input: RunInput, body: string): Promise<Run | Response> {
    const known = this.all.get(input.runId);
    if (known && known.body !== body)
      return Promise.resolve(refusal(409, "run_conflict", "There is another run of that id."));
    if (known) return Promise.resolve(known);
    const started = this.#starting.get(input.runId) ?? this.#begin(input, body);
    this.#starting.set(input.runId, started);
    return started.finally(() => this.#starting.delete(input.runId));
  }

  async #begin(input: RunInput, body: string): Promise<Run | Response> {
    const thread = this.threads.get(input.threadId) ?? new Thread(input.threadId);
    const { live } = thread;
    if (live) return refusal(409, "thread_busy", "Another run of the thread goes on.", { details: { runId: live.id } });
    const parent = parentOf(thread, input);
    const before = thread.messages(parent);
    const brought = newOf(input.messages, before);
    const question = brought.findLast(({ role }) => role === "user");
    const waiting = parent?.waiting;
    const chosen = await this.#choose({ input, question, waiting, messages: before });
    if (chosen instanceof Response) return chosen;
    const createdAt = new Date((this.all.size + 1) * MINUTE).toISOString();
    const run = new Run(input, body, { before, brought }, { parent, createdAt });
    this.inputs.push(input);
    this.threads.set(thread.id, thread);
    this.all.set(run.id, run);
    thread.add(run);
    void this.#execute(run, chosen);
    return run;
  }

  async #execute(run: Run, play: Play | undefined): Promise<void> {
    const { id: runId, threadId } = run;
    run.emit({ type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" });
    if (play) return play(run);
    run.emit({ type: "MESSAGES_SNAPSHOT", messages: [...this.threads.get(threadId)!.messages(run)] });
    run.emit({ type: "RUN_FINISHED", threadId, runId, outcome: { type: "success" } });
  }
}

/**
 * The client's messages that the server takes: unknown ones, and results of calls that have none.
 */
function newOf(messages: RunInput["messages"], before: readonly Message[]): Message[] {
  const known = new Set(before.map(({ id }) => id));
  const answered = new Set(before.map((message) => (message.role === "tool" ? message.toolCallId : undefined)));
  const calls = new Set(before.flatMap(toolCallsOf).map(({ id }) => id));
  return messages.filter((message) => {
    if (message.role !== "tool") return !known.has(message.id);
    const isOpen = calls.has(message.toolCallId) && !answered.has(message.toolCallId);
    answered.add(message.toolCallId); // the first one counts
    return isOpen;
  });
}

/** The parent of a new run: if a message is replaced, the parent of the run that brought it. */
function parentOf(thread: Thread, { forwardedProps }: RunInput): Run | undefined {
  const { replaces } = forwardedProps?.pageside ?? {};
  const replaced = replaces && thread.runs.find(({ brought }) => brought.some(({ id }) => id === replaces));
  return replaced ? replaced.parent : thread.head;
}
