/** Reading what a server streams: one connection after the other, each event once. */
import type { ChunkExpander } from "./chunks.js";
import { parseEvent, type AgUiEvent, type EventOf } from "./events.js";
import { Failure, protocolFailure } from "./failure.js";
import { isRare } from "./fold.js";
import type { Http } from "./http.js";
import { loadLater, type Later } from "../lazy.js";
import { readSse, type SseEvent } from "./sse.js";
import type { ClientError } from "../thread/types.js";

type Batches = AsyncGenerator<SseEvent[], void, undefined>;

export type RunEnd =
  | { kind: "finished"; pending: readonly string[]; cancelled: boolean; interrupted: boolean }
  | { kind: "failed"; error: ClientError };

/** Codes of RUN_ERROR with which the same request would fail again. */
const FINAL_CODES = new Set(["llm_auth", "llm_bad_request", "llm_context_full"]);

/**
 * How long a stream may stay open after its terminal event, in milliseconds, before it is closed
 * from here.
 */
const LINGER = 1000;

/**
 * An event id: `<runId>:<epoch>.<seq>`. The events of a run are counted from 1, on over its epochs;
 * 0 is what stands before them: a snapshot, which is never a repetition.
 */
const EVENT_ID = /^([^]*):\d+\.(\d+)$/;

/** Takes what a stream brings. */
export interface Sink {
  /**
   * Takes one event, chunks unfolded. Returning true ends the reading: it was the last one that is
   * wanted.
   */
  apply(event: AgUiEvent, later: Later | undefined): boolean;
  /** Those that arrived together were applied. */
  flush(): void;
  /** The server accepted the request. */
  opened(): void;
}

/**
 * Where the reading of a stream stands, over all the connections that bring it: what comes twice is
 * skipped.
 */
export class EventReader {
  /** The last event that had an id: where the next connection goes on. */
  lastId: string | undefined;
  /** When something arrived last, be it a comment, in milliseconds since the epoch. */
  heardAt = 0;
  /** Did the server end the last connection, and not the way to it? */
  isWhole = false;
  readonly sink: Sink;
  #runId: string | undefined;
  #seq = 0;
  #later: Later | undefined;
  #chunks: ChunkExpander | undefined;

  constructor(sink: Sink, lastId?: string) {
    this.sink = sink;
    this.#advance(lastId);
  }

  /** Applies one batch. Resolves with true where the sink wants no more. */
  async take(batch: readonly SseEvent[]): Promise<boolean> {
    this.heardAt = Date.now();
    let done = false;
    for (const { id, data } of batch) {
      if (done || this.#isRepeated(id)) continue;
      const event = parseEvent(data);
      if (isRare(event.type)) this.#later ??= await loadLater();
      try {
        for (const each of this.#unfold(event)) done = this.sink.apply(each, this.#later) || done;
      } catch {
        throw protocolFailure(`The server sent a malformed ${event.type}.`);
      }
      this.#advance(id);
    }
    this.sink.flush();
    return done;
  }

  #unfold(event: AgUiEvent): readonly AgUiEvent[] {
    if (event.type === "RUN_STARTED") this.#chunks = undefined;
    if (!this.#later) return [event];
    this.#chunks ??= new this.#later.ChunkExpander();
    return this.#chunks.expand(event);
  }

  #isRepeated(id = ""): boolean {
    const [, runId, seq] = EVENT_ID.exec(id) ?? [];
    return runId !== undefined && runId === this.#runId && Number(seq) > 0 && Number(seq) <= this.#seq;
  }

  #advance(id = ""): void {
    const [, runId, seq] = EVENT_ID.exec(id) ?? [];
    if (runId === undefined) return;
    this.lastId = id;
    this.#runId = runId;
    this.#seq = Number(seq);
  }
}

/**
 * Sends a request and reads the stream it opens. Resolves with true once the sink wants no more,
 * with false where the stream ended or broke before. Rejects where the request failed or was
 * refused, where the stream is not AG-UI, or where the signal is aborted.
 */
export async function connect(
  http: Http,
  path: string,
  request: { json?: object; headers?: Record<string, string> },
  reader: EventReader,
  signal: AbortSignal,
): Promise<boolean> {
  const connection = new AbortController();
  const disconnect = () => connection.abort();
  signal.addEventListener("abort", disconnect);
  let done = false;
  try {
    const headers = { Accept: "text/event-stream", ...request.headers };
    const { body } = await http.send(path, { ...request, headers, signal: connection.signal });
    if (!body) return false;
    reader.heardAt = Date.now();
    reader.sink.opened();
    void loadLater()
      .then(({ guard }) => guard(reader, connection))
      .catch(() => undefined);
    const batches = readSse(body);
    for (;;) {
      const batch = await nextBatch(batches, signal);
      reader.isWhole = batch === null;
      if (!batch) return false;
      done = await reader.take(batch);
      if (!done) continue;
      void linger(batches, disconnect);
      return true;
    }
  } finally {
    signal.removeEventListener("abort", disconnect);
    if (!done) disconnect(); // a stream that nobody reads would keep its connection
  }
}

/** The next events; null where the stream ended, undefined where it broke. */
async function nextBatch(batches: Batches, signal: AbortSignal): Promise<readonly SseEvent[] | null | undefined> {
  try {
    const { done, value } = await batches.next();
    return done ? null : value;
  } catch (error) {
    if (signal.aborted || error instanceof Failure) throw error;
    return undefined;
  }
}

/** Lets the server close the stream, so that the connection can be used again. */
async function linger(batches: Batches, disconnect: () => void): Promise<void> {
  const timer = setTimeout(disconnect, LINGER);
  try {
    while (!(await batches.next()).done);
  } catch {
    // Closed from here or broken: the run is over either way.
  }
  clearTimeout(timer);
  disconnect();
}

/** What a terminal event says; undefined for any other. */
export function endOf(event: AgUiEvent): RunEnd | undefined {
  if (event.type === "RUN_ERROR") return { kind: "failed", error: runError(event) };
  if (event.type !== "RUN_FINISHED") return undefined;
  const { outcome } = event;
  return {
    kind: "finished",
    pending: (outcome?.type === "success" && outcome.pendingToolCallIds) || [],
    cancelled: outcome?.type === "cancelled",
    interrupted: outcome?.type === "interrupt",
  };
}

export function runError({ message, code = "run_error" }: Pick<EventOf<"RUN_ERROR">, "message" | "code">): ClientError {
  return { code, message, retryable: !FINAL_CODES.has(code), ofRun: true };
}

/** The end of a run whose stream is lost for good. */
export function interrupted(): RunEnd {
  const message = "The connection ended before the answer was complete.";
  return { kind: "failed", error: { code: "interrupted", message, retryable: true } };
}
