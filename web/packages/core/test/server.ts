/**
 * A Pageside server for tests of clients: the one of `@pageside/testing`, where runs do event by
 * event what scripts say, and a network that can be cut.
 */
import { onTestFinished } from "vitest";
import { frameOf, type RunInput } from "../../testing/src/events.js";
import { requestOf } from "../../testing/src/request.js";
import type { Run as ServedRun } from "../../testing/src/run.js";
import { Runs, type Chosen } from "../../testing/src/runs.js";
import { Server } from "../../testing/src/server.js";
import { jsonOf, refusal, streamOf } from "../../testing/src/streams.js";
import type { AgUiEvent } from "../src/protocol/events.js";
import { createPagesideClient } from "../src/index.js";
import type { ClientOptions, PagesideClient } from "../src/index.js";
import { text } from "./events.js";
import { gate } from "./tabs.js";

type Said = [id: string, words: string];

/** A server, and a client that tries again at once and ends with the test. */
export function setUp(options: ClientOptions = {}) {
  const server = new TestServer();
  const reconnect = { random: () => 0 };
  const client = createPagesideClient({ url: "https://test", fetch: server.fetch, reconnect, ...options });
  onTestFinished(() => client.destroy());
  return { server, client };
}

/** For clients that do not try again. */
export const IMPATIENT = { reconnect: { giveUpAfter: 0 } };

/** What the messages of the open thread say. */
export const contents = (client: PagesideClient) => client.getSnapshot().messages.map(({ content }) => content);

/** What a script knows of its run. */
export interface Run {
  /** The server will no longer have its events when it has ended. */
  isPurged: boolean;
  /** Resolves when somebody cancels the run. */
  cancelled(): Promise<void>;
}

/** What a run does between its start and its end, which it may say itself. */
export type Script = (input: RunInput, run: Run) => AsyncIterable<AgUiEvent> | Iterable<AgUiEvent>;

export interface Seen {
  method: string;
  path: string;
  query: URLSearchParams;
  lastEventId: string | null;
  authorization: string | null;
  body: unknown;
  /** Aborted when the client leaves. */
  signal: AbortSignal;
}

/** How the bytes of a stream reach the client. */
interface Delivery {
  pieces: Uint8Array[];
  /** The connection ends with an error after them. */
  cut: boolean;
}

/** Answers a run without beginning it. */
interface Outage {
  respond: (input: RunInput, signal: AbortSignal) => Response;
}

export class TestServer {
  readonly seen: Seen[] = [];
  /**
   * Answers in place of the server: a refusal, or undefined to let it through. Throwing is a
   * network that fails.
   */
  before: ((seen: Seen) => Response | undefined) | undefined;
  /** What the network makes of the bytes of a stream. */
  network: ((bytes: Uint8Array, connection: number) => Delivery) | undefined;
  /** Loses the signs of life that the server sends where it says nothing else. */
  isMute = false;
  /** What is answered to requests of a path, in place of the server. */
  readonly routes = new Map<string, (seen: Seen) => Response | Promise<Response>>();
  #connections = 0;
  readonly #scripts: (Script | Outage)[] = [];
  readonly #purged = new Set<ServedRun>();
  readonly #runs = new Runs(async () => this.#next());
  readonly #server = new Server(this.#runs, {});

  /** What began each run, in order. */
  readonly inputs = this.#runs.inputs;
  readonly threads = this.#runs.threads;
  readonly runs = this.#runs.all;

  /** Streams that are open now. */
  get open(): number {
    return this.#server.open;
  }

  /** Says what the next run does. */
  onRun(script: Script): this {
    this.#scripts.push(script);
    return this;
  }

  /** Says how the next run is refused. */
  onRunRefuse(status: number, body: unknown): this {
    this.#scripts.push({ respond: () => jsonOf(body, status) });
    return this;
  }

  /**
   * The next run is a stream that no server should send, and of which it knows nothing more: these
   * events, with neither ids nor an end, after which it breaks off or stays open.
   */
  onRunBroken(events: Iterable<object>, { staysOpen = false } = {}): this {
    async function* frames({ threadId, runId }: RunInput) {
      const start = { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" };
      for (const event of [start, ...events]) yield `data: ${JSON.stringify(event)}\n\n`;
      if (staysOpen) await new Promise(() => {});
    }
    this.#scripts.push({ respond: (input, signal) => streamOf(frames(input), signal) });
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

  /** Has a thread with these messages, whose last run ended like this. */
  holds(threadId: string, messages: readonly unknown[], end: object): this {
    const run = { threadId, runId: "r1" };
    const events = [
      { type: "RUN_STARTED", ...run, protocolVersion: "1.0" },
      { type: "MESSAGES_SNAPSHOT", messages },
      { type: "RUN_FINISHED", ...run, ...end },
    ];
    const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    const headers = { "Content-Type": "text/event-stream" };
    this.routes.set(`/v1/threads/${threadId}`, () => jsonOf({ id: threadId }));
    this.routes.set(`/v1/threads/${threadId}/events`, () => new Response(body, { headers }));
    return this;
  }

  /** Breaks every open connection. */
  cut(): void {
    this.#server.disconnect();
  }

  /** All requests but those of runs: `"GET /v1/threads?limit=50"`. */
  get requests(): string[] {
    const others = this.seen.filter(({ path }) => !path.endsWith("/run"));
    return others.map(({ method, path, query }) => `${method} ${path}${query.size > 0 ? `?${String(query)}` : ""}`);
  }

  readonly fetch: typeof fetch = async (target, init = {}) => {
    const { url, method, headers, text: body, signal } = await requestOf(target, init);
    const seen: Seen = {
      method,
      path: url.pathname,
      query: url.searchParams,
      lastEventId: headers.get("Last-Event-ID"),
      authorization: headers.get("Authorization"),
      body: body ? JSON.parse(body) : undefined,
      signal,
    };
    this.seen.push(seen);
    await Promise.resolve();
    if (signal.aborted) throw signal.reason;
    const answered = this.before?.(seen) ?? (await this.routes.get(seen.path)?.(seen)) ?? this.#fail(seen);
    if (answered) return answered;
    if (seen.lastEventId) headers.set("Last-Event-ID", seen.lastEventId);
    const response = this.#purge(seen) ?? (await this.#server.fetch(target, { ...init, headers }));
    if (response.headers.get("Content-Type") !== "text/event-stream") return response;
    if (this.isMute) return new Response(response.body!.pipeThrough(withoutComments()), response);
    return this.network ? this.#deliver(response, this.network) : response;
  };

  #fail({ path, body, signal }: Seen): Response | undefined {
    const [next] = this.#scripts;
    if (!path.endsWith("/run") || !next || typeof next === "function") return undefined;
    this.#scripts.shift();
    this.inputs.push(body as RunInput);
    return next.respond(body as RunInput, signal);
  }

  #next(): Chosen {
    const script = this.#scripts.shift();
    if (typeof script !== "function") throw new TypeError("Failed to fetch");
    return (run) => this.#play(run, script);
  }

  async #play(run: ServedRun, script: Script): Promise<void> {
    const { id: runId, threadId, input, signal } = run;
    const told: Run = {
      isPurged: false,
      cancelled: () =>
        new Promise((resolve) => {
          if (signal.aborted) resolve();
          else signal.addEventListener("abort", () => resolve());
        }),
    };
    for await (const event of script(input, told)) {
      run.emit({ ...event, ...(/^RUN_/.test(event.type) && { threadId, runId }) } as AgUiEvent);
    }
    if (told.isPurged) this.#purged.add(run);
    const outcome = { type: "cancelled" as const };
    if (!run.end) run.emit({ type: "RUN_FINISHED", threadId, runId, ...(signal.aborted && { outcome }) });
  }

  /** What is told of a run whose events are gone: its messages and its end. */
  #purge({ method, path }: Seen): Response | undefined {
    const run = this.runs.get(path.split("/")[3] ?? "");
    if (method !== "GET" || !run?.end || !this.#purged.has(run)) return undefined;
    const { id: runId, threadId, messages } = run;
    const start = { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" };
    const frames = [start, { type: "MESSAGES_SNAPSHOT", messages }].map((event) => frameOf(`${runId}:1.0`, event));
    const end = frameOf(`${runId}:1.${run.frames.length}`, { ...run.end, threadId, runId });
    return new Response([...frames, end].join(""), { headers: { "Content-Type": "text/event-stream" } });
  }

  /** Sends a whole stream in the pieces that the network makes of it. */
  #deliver(response: Response, network: NonNullable<TestServer["network"]>): Response {
    const connection = this.#connections++;
    let delivery: Delivery | undefined;
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        delivery ??= network(new Uint8Array(await response.arrayBuffer()), connection);
        const piece = delivery.pieces.shift();
        if (piece) controller.enqueue(piece);
        else if (delivery.cut) controller.error(new TypeError("network error"));
        else controller.close();
      },
    });
    return new Response(body, response);
  }
}

/** Every piece is a frame or a comment. */
const withoutComments = () =>
  new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, controller) => void (piece[0] === ":".charCodeAt(0) || controller.enqueue(piece)),
  });

export { jsonOf as json };

export const refuse = (status: number, code: string, headers?: Record<string, string>): Response => {
  const response = refusal(status, code, code);
  for (const [name, value] of Object.entries(headers ?? {})) response.headers.set(name, value);
  return response;
};
