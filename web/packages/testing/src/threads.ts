/** The threads of the agent: trees of runs, as a server describes them. */
import { readMetadata, textOf, type Message } from "@pageside/core";
import { frameOf } from "./events.js";
import { Waiters, type Run } from "./run.js";

/** What the user made of the cards, by the ids of their messages. */
type Statuses = Map<string, string>;

/** What a thread's stream shows before a run, or instead of one. */
interface Shown {
  messages: readonly Message[];
  state: unknown;
  /** How many of the messages, in whole turns; 0 means all. */
  history: number;
  lastId: string | undefined;
  outcome?: object | undefined;
}

/** The last messages, from the beginning of a turn on, and the first one's id if there are more. */
function newestOf(all: readonly Message[], limit: number): { messages: readonly Message[]; before?: string } {
  if (limit <= 0 || limit >= all.length) return { messages: all };
  const start = all.findLastIndex(({ role }, index) => index <= all.length - limit && role === "user");
  return start <= 0 ? { messages: all } : { messages: all.slice(start), before: all[start]!.id };
}

/** A thread of the agent: its runs, and which branch is shown. */
export class Thread {
  readonly id: string;
  #title: string | undefined;
  archived = false;
  pinned = false;
  deletedAt: string | undefined;
  readonly runs: Run[] = [];
  /** The end of the branch that is shown. */
  head: Run | undefined;
  /** What a test gave the thread at first, before every run. */
  readonly given: readonly Message[];
  readonly #statuses: Statuses = new Map();
  readonly #readers = new Waiters();
  #snapshots = 0;

  constructor(id: string, given: readonly Message[] = []) {
    this.id = id;
    this.given = given;
  }

  add(run: Run): void {
    this.runs.push(run);
    this.head = run;
    this.#readers.wake();
  }

  /** What the user named it, or else the assistant. */
  get title(): string {
    return this.#title ?? this.runs.findLast(({ title }) => title !== undefined)?.title ?? "";
  }

  set title(title: string) {
    this.#title = title || undefined;
  }

  /** The run that goes on. */
  get live(): Run | undefined {
    return this.runs.find(({ end }) => !end);
  }

  setStatus(messageId: string, status: string): void {
    this.#statuses.set(messageId, status);
  }

  /** The messages of the branch that ends with a run. */
  messages(run: Run | undefined): readonly Message[] {
    return this.#withStatuses(run?.messages ?? this.given);
  }

  #withStatuses(messages: readonly Message[]): readonly Message[] {
    return messages.map((message) => {
      const status = this.#statuses.get(message.id);
      if (!status) return message;
      return { ...message, metadata: { ...message.metadata, pageside: { ...readMetadata(message), status } } };
    });
  }

  /** The messages before one of the branch that is shown, or the newest. */
  history(before: string | null, limit: number): object | undefined {
    const all = this.messages(this.head);
    const end = before === null ? all.length : all.findIndex(({ id }) => id === before);
    return end < 0 ? undefined : newestOf(all.slice(0, end), limit);
  }

  summary(): object {
    const times = this.runs.map(({ createdAt }) => createdAt);
    const { id, title, archived, pinned, deletedAt } = this;
    const createdAt = times[0] ?? EPOCH;
    const updatedAt = times.at(-1) ?? EPOCH;
    return { id, title, archived, pinned, createdAt, updatedAt, ...(deletedAt && { deletedAt }) };
  }

  listRuns(): object {
    const shown = new Set<Run>();
    for (let run = this.head; run; run = run.parent) shown.add(run);
    const runs = this.runs.map((run) => {
      const user = run.brought.find(({ role }) => role === "user");
      return {
        id: run.id,
        ...(run.parent && { parentRunId: run.parent.id }),
        status: run.end ? "finished" : "running",
        current: shown.has(run),
        createdAt: run.createdAt,
        ...(user && { userMessage: { id: user.id, preview: textOf(user.content).slice(0, 80) } }),
      };
    });
    return { runs, ...(this.head && { head: this.head.id }) };
  }

  /** The thread as a stream, from a position on; it goes on with later runs if the reader stays. */
  async *read(
    after: string | null,
    { stay, history }: { stay: boolean; history: number },
    signal: AbortSignal,
  ): AsyncGenerator<string, void, undefined> {
    const position = after?.slice(0, after.lastIndexOf(":"));
    let seen = this.runs.findIndex(({ id }) => id === position);
    if (seen >= 0) yield* this.runs[seen]!.read(after, signal);
    else if (this.live) seen = this.runs.indexOf(this.live) - 1;
    else {
      seen = this.runs.length - 1;
      yield* this.#snapshot(history);
    }
    for (;;) {
      while (++seen < this.runs.length) {
        const run = this.runs[seen]!;
        yield* this.#before(run, history);
        yield* run.read(null, signal);
      }
      seen--;
      if (!stay || signal.aborted) return;
      await this.#readers.next(signal);
    }
  }

  /** What the thread holds, told as a run that stands at the end of the last one. */
  *#snapshot(history: number): Iterable<string> {
    const { head } = this;
    const outcome = head?.end?.type === "RUN_FINISHED" ? head.end.outcome : undefined;
    const lastId = head && `${head.id}:1.${head.frames.length}`;
    yield* this.#record({ messages: this.messages(head), state: head?.state, history, lastId, outcome });
  }

  /** What stood before a run that is about to be told, and what the client brought with it. */
  *#before(run: Run, history: number): Iterable<string> {
    const messages = this.#withStatuses(run.startMessages);
    yield* this.#record({ messages, state: run.startState, history, lastId: `${run.id}:1.0` });
  }

  *#record({ messages: all, state, history, lastId, outcome }: Shown): Iterable<string> {
    const { messages, before } = newestOf(all, history);
    const metadata = before !== undefined && { metadata: { pageside: { before } } };
    const runId = `snapshot-${++this.#snapshots}`;
    const ids = { threadId: this.id, runId };
    yield frameOf(`${runId}:1.1`, { type: "RUN_STARTED", ...ids, protocolVersion: "1.0" });
    yield frameOf(`${runId}:1.2`, { type: "MESSAGES_SNAPSHOT", messages, ...metadata });
    if (state !== undefined) yield frameOf(`${runId}:1.3`, { type: "STATE_SNAPSHOT", snapshot: state });
    yield frameOf(lastId ?? `${runId}:1.4`, { type: "RUN_FINISHED", ...ids, ...(outcome && { outcome }) });
  }
}

const EPOCH = new Date(0).toISOString();
