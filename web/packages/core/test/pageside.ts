/**
 * A Pageside server for tests: threads with branches, runs with numbered events that outlive their
 * connections, and a network that can be cut. It says what the real one says; what runs do comes
 * from scripts.
 */
import { fold, type Transcript } from "../src/protocol/fold.js";
import type { AgUiEvent } from "../src/protocol/events.js";
import { createPagesideClient } from "../src/index.js";
import type { ClientOptions, Message, PagesideClient } from "../src/index.js";
import { text } from "./server.js";
import { gate } from "./tabs.js";

type Said = [id: string, words: string];

/** A server, and a client that tries again at once. */
export function setUp(options: ClientOptions = {}) {
  const server = new Pageside();
  const reconnect = { random: () => 0 };
  return { server, client: createPagesideClient({ url: "https://test", fetch: server.fetch, reconnect, ...options }) };
}

/** What the messages of the open thread say. */
export const contents = (client: PagesideClient) => client.getSnapshot().messages.map(({ content }) => content);

export interface Input {
  threadId: string;
  runId: string;
  messages: Message[];
  resume?: { interruptId: string; status: string; payload?: unknown }[];
  forwardedProps: { pageside: { replaces?: string; continues?: string } };
}

/** What a run does between its start and its end, which it may say itself. */
export type Script = (input: Input, run: Run) => AsyncIterable<AgUiEvent> | Iterable<AgUiEvent>;

export class Run {
  readonly frames: string[] = [];
  parent = "";
  before: readonly Message[] = [];
  brought: Message[] = [];
  isOver = false;
  isCancelled = false;
  isPurged = false;
  end: AgUiEvent | undefined;
  body = "";
  createdAt = "";
  #wake: (() => void)[] = [];

  constructor(
    readonly id: string,
    readonly threadId: string,
  ) {}

  append(event: AgUiEvent): void {
    this.frames.push(frame(`${this.id}:1.${this.frames.length + 1}`, event));
    this.wake();
  }

  wake(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  /** Resolves when something happens. */
  next(): Promise<void> {
    return new Promise((resolve) => void this.#wake.push(resolve));
  }

  /** Resolves when somebody cancels the run. */
  async cancelled(): Promise<void> {
    while (!this.isCancelled) await this.next();
  }
}

interface Thread {
  id: string;
  title: string;
  runs: Run[];
  head: string;
}

export interface Seen {
  method: string;
  path: string;
  query: URLSearchParams;
  lastEventId: string | null;
  authorization: string | null;
  body: unknown;
}

export class Pageside {
  readonly threads = new Map<string, Thread>();
  readonly runs = new Map<string, Run>();
  readonly inputs: Input[] = [];
  readonly seen: Seen[] = [];
  /**
   * Answers in place of the server: a refusal, or undefined to let it through. Throwing is a
   * network that fails.
   */
  before: ((seen: Seen) => Response | undefined) | undefined;
  /**
   * How the bytes of a stream reach the client: in which pieces, and whether they end with an error
   * before the end.
   */
  network: ((bytes: Uint8Array, connection: number) => { pieces: Uint8Array[]; cut: boolean }) | undefined;
  /** Streams that are open now. */
  open = 0;
  connections = 0;
  #scripts: Script[] = [];
  #snapshots = 0;
  #cutters = new Set<() => void>();

  onRun(script: Script): this {
    this.#scripts.push(script);
    return this;
  }

  /** The next run says one message, and the other, if there is one, once the function is called. */
  inHalves(first: Said, second?: Said): () => void {
    const { opened, open } = gate();
    this.onRun(async function* () {
      yield* text(...first);
      await opened;
      if (second) yield* text(...second);
    });
    return open;
  }

  /** Breaks every open connection. */
  cut(): void {
    for (const cut of [...this.#cutters]) cut();
  }

  /** Forgets the events of a run. */
  purge(runId: string): void {
    this.runs.get(runId)!.isPurged = true;
  }

  requests(method: string): string[] {
    return this.seen.filter((each) => each.method === method).map(({ path }) => path);
  }

  readonly fetch: typeof fetch = async (target, init = {}) => {
    const url = new URL(String(target), "https://test");
    const headers = new Headers(init.headers);
    const seen: Seen = {
      method: init.method ?? "GET",
      path: url.pathname,
      query: url.searchParams,
      lastEventId: headers.get("Last-Event-ID"),
      authorization: headers.get("Authorization"),
      body: init.body ? JSON.parse(String(init.body)) : undefined,
    };
    this.seen.push(seen);
    await Promise.resolve();
    if (init.signal?.aborted) throw init.signal.reason;
    return this.before?.(seen) ?? this.#route(seen, String(init.body), init.signal ?? new AbortController().signal);
  };

  #route(seen: Seen, text: string, signal: AbortSignal): Response {
    const [, , kind, id = "", part] = seen.path.split("/").map(decodeURIComponent);
    const key = `${seen.method} ${kind}${part ? `/${part}` : ""}`;
    switch (key) {
      case "POST agents/run":
        return this.#start(seen.body as Input, text, signal);
      case "GET runs/events": {
        const run = this.runs.get(id);
        return run ? this.#stream(this.#ofRun(run, seen.lastEventId, signal), signal) : refuse(404, "not_found");
      }
      case "POST runs/cancel": {
        const run = this.runs.get(id);
        if (!run) return refuse(404, "not_found");
        run.isCancelled = true;
        run.wake();
        return new Response(null, { status: 204 });
      }
      case "GET threads/events": {
        const thread = this.threads.get(id);
        if (!thread) return refuse(404, "not_found");
        return this.#stream(this.#ofThread(thread, seen.lastEventId, seen.query.has("stay"), signal), signal);
      }
      case "GET threads": {
        const thread = this.threads.get(id);
        return thread ? json({ id, title: thread.title }) : refuse(404, "not_found");
      }
      case "PATCH threads": {
        const { head } = seen.body as { head?: string };
        if (head) this.threads.get(id)!.head = head;
        return json({ id });
      }
      case "GET threads/runs":
        return this.threads.has(id) ? json(this.#listRuns(this.threads.get(id)!)) : refuse(404, "not_found");
      default:
        return refuse(404, "not_found");
    }
  }

  // -------------------------------------------------------------- runs

  #start(input: Input, body: string, signal: AbortSignal): Response {
    const known = this.runs.get(input.runId);
    if (known && known.body !== body) return refuse(409, "run_conflict");
    const run = known ?? this.#begin(input, body);
    if (run instanceof Response) return run;
    return this.#stream(this.#ofRun(run, null, signal), signal);
  }

  #begin(input: Input, body: string): Run | Response {
    const thread = this.threads.get(input.threadId) ?? { id: input.threadId, title: "", runs: [], head: "" };
    const live = thread.runs.find(({ isOver }) => !isOver);
    if (live) return refuse(409, "thread_busy", { runId: live.id });
    this.inputs.push(input);
    this.threads.set(thread.id, thread);
    const run = new Run(input.runId, thread.id);
    const { replaces } = input.forwardedProps.pageside;
    const replaced = replaces && thread.runs.find(({ brought }) => brought.some(({ id }) => id === replaces));
    run.parent = replaced ? replaced.parent : thread.head;
    run.before = this.transcript(thread, run.parent);
    run.brought = input.messages.filter(({ id }) => !run.before.some((message) => message.id === id));
    run.createdAt = new Date(thread.runs.length * 1000).toISOString();
    run.body = body;
    thread.runs.push(run);
    thread.head = run.id;
    this.runs.set(run.id, run);
    void this.#execute(run, input);
    for (const other of this.runs.values()) other.wake();
    return run;
  }

  async #execute(run: Run, input: Input): Promise<void> {
    const { threadId, runId } = input;
    const script = this.#scripts.shift();
    run.append({ type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" } as AgUiEvent);
    for await (const event of script?.(input, run) ?? []) {
      run.append({ ...event, ...(/^RUN_/.test(event.type) && { threadId, runId }) } as AgUiEvent);
      if (/^RUN_(FINISHED|ERROR)$/.test(event.type)) run.end = event;
    }
    if (!run.end) {
      run.end = { type: "RUN_FINISHED", threadId, runId, ...(run.isCancelled && { outcome: { type: "cancelled" } }) } as AgUiEvent; // prettier-ignore
      run.append(run.end);
    }
    run.isOver = true;
    run.wake();
  }

  /** The messages of the branch that ends with a run. */
  transcript(thread: Thread, head: string): readonly Message[] {
    const run = thread.runs.find(({ id }) => id === head);
    if (!run) return [];
    const messages = [...run.before, ...run.brought.filter(({ role }) => role !== "tool")];
    const results = run.brought.filter(({ role }) => role === "tool");
    const events = [
      ...results.map((message) => ({ ...message, type: "TOOL_CALL_RESULT", messageId: message.id })),
      ...run.frames.map((text) => JSON.parse(text.slice(text.indexOf("data: ") + 6)) as object),
    ] as AgUiEvent[];
    return events.reduce<Transcript>((all, event) => fold(all, event), { messages, state: undefined }).messages;
  }

  #listRuns(thread: Thread): object {
    const path = new Set<string>();
    for (let id = thread.head; id; id = this.runs.get(id)?.parent ?? "") path.add(id);
    const runs = thread.runs.map(({ id, parent, createdAt, brought }) => {
      const user = brought.find(({ role }) => role === "user");
      return {
        id,
        ...(parent && { parentRunId: parent }),
        status: "finished",
        current: path.has(id),
        createdAt,
        ...(user && { userMessage: { id: user.id, preview: user.content } }),
      };
    });
    return { runs, head: thread.head };
  }

  // -------------------------------------------------------------- streams

  async *#ofRun(run: Run, after: string | null, signal: AbortSignal): AsyncIterable<string> {
    if (run.isPurged) {
      yield* this.#endSnapshot(run);
      return;
    }
    let at = Number(after?.split(".").at(-1) ?? 0);
    for (;;) {
      while (at < run.frames.length) yield run.frames[at++]!;
      if (run.isOver || signal.aborted) return;
      await run.next();
    }
  }

  async *#ofThread(thread: Thread, after: string | null, stay: boolean, signal: AbortSignal): AsyncIterable<string> {
    const position = after?.slice(0, after.lastIndexOf(":"));
    let seen = thread.runs.findIndex(({ id }) => id === position);
    if (seen >= 0) yield* this.#ofRun(thread.runs[seen]!, after, signal);
    else if (thread.runs.at(-1)!.isOver) {
      yield* this.#headSnapshot(thread);
      seen = thread.runs.length - 1;
    } else seen = thread.runs.length - 2;
    for (;;) {
      for (const run of thread.runs.slice(seen + 1)) {
        seen++;
        const messages = [...run.before, ...run.brought];
        yield* this.#snapshot(thread.id, messages, `${run.id}:1.0`);
        yield* this.#ofRun(run, null, signal);
      }
      if (!stay || signal.aborted) return;
      await Promise.race([...this.runs.values()].map((run) => run.next()));
    }
  }

  *#headSnapshot(thread: Thread): Iterable<string> {
    const head = this.runs.get(thread.head)!;
    yield* this.#snapshot(thread.id, this.transcript(thread, head.id), `${head.id}:1.${head.frames.length}`, head.end);
  }

  *#snapshot(threadId: string, messages: object, last: string, end?: object): Iterable<string> {
    const runId = `snapshot-${++this.#snapshots}`;
    yield frame(`${runId}:1.1`, { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" });
    yield frame(`${runId}:1.2`, { type: "MESSAGES_SNAPSHOT", messages });
    const { outcome } = (end ?? {}) as { outcome?: { type: string } };
    yield frame(last, { type: "RUN_FINISHED", threadId, runId, ...(outcome && { outcome }) });
  }

  *#endSnapshot(run: Run): Iterable<string> {
    const { threadId, id: runId } = run;
    const messages = this.transcript(this.threads.get(threadId)!, runId);
    yield frame(`${runId}:1.0`, { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" });
    yield frame(`${runId}:1.0`, { type: "MESSAGES_SNAPSHOT", messages });
    yield frame(`${runId}:1.${run.frames.length}`, { ...run.end, threadId, runId });
  }

  #stream(frames: AsyncIterable<string>, signal: AbortSignal): Response {
    const connection = this.connections++;
    this.open++;
    const { network } = this;
    const body = network ? this.#replay(frames, (bytes) => network(bytes, connection)) : this.#live(frames, signal);
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  }

  /** Sends what is ready, until somebody cuts it. */
  #live(frames: AsyncIterable<string>, signal: AbortSignal): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    let isOver = false;
    const end = (finish?: () => void) => {
      if (isOver) return;
      isOver = true;
      this.open--;
      this.#cutters.delete(cut);
      finish?.();
    };
    let controller: ReadableStreamDefaultController<Uint8Array>;
    const cut = () => end(() => controller.error(new TypeError("network error")));
    this.#cutters.add(cut);
    signal.addEventListener("abort", () => {
      end(() => controller.error(signal.reason));
      for (const run of this.runs.values()) run.wake(); // so that nothing waits for it any more
    });
    return new ReadableStream({
      start: async (its) => {
        controller = its;
        for await (const text of frames) if (!isOver) controller.enqueue(encoder.encode(text));
        end(() => controller.close());
      },
      cancel: () => end(),
    });
  }

  /** Sends everything in the pieces that the network makes of it. */
  #replay(
    frames: AsyncIterable<string>,
    deliver: (bytes: Uint8Array) => { pieces: Uint8Array[]; cut: boolean },
  ): ReadableStream<Uint8Array> {
    let pieces: Uint8Array[] | undefined;
    let isCut = false;
    return new ReadableStream({
      pull: async (controller) => {
        if (!pieces) {
          let all = "";
          for await (const text of frames) all += text;
          ({ pieces, cut: isCut } = deliver(new TextEncoder().encode(all)));
        }
        const piece = pieces.shift();
        if (piece) return controller.enqueue(piece);
        this.open--;
        if (isCut) controller.error(new TypeError("network error"));
        else controller.close();
      },
    });
  }
}

function frame(id: string, event: object): string {
  return `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });
}

export function refuse(status: number, code: string, details?: object, headers?: Record<string, string>): Response {
  return json({ error: { code, message: code, ...(details && { details }) } }, status, headers);
}
