/** Reads a server's stream over several connections, each event once. */
import { onlineEvents } from "../base/time.js";
import { ChunkExpander } from "./chunks.js";
import { parseEvent, type AgUiEvent } from "./events.js";
import { Failure, protocolFailure } from "./failure.js";
import type { Transport } from "./http.js";
import { readSse, type SseEvent } from "./sse.js";

type Batches = AsyncGenerator<SseEvent[], void, undefined>;

/**
 * A stream counts as dead after this many milliseconds of silence. The server sends a comment every
 * 15 seconds.
 */
const SILENCE = 45_000;

/** How often the silence is checked, in milliseconds. */
const LISTEN = 5000;

/**
 * How long a stream may stay open after its terminal event, in milliseconds, before the client
 * closes it.
 */
const LINGER = 1000;

/**
 * An event id: `<runId>:<epoch>.<seq>`. The events of a run are counted from 1, across its epochs.
 * 0 is a snapshot before them, which is never a repetition.
 */
const EVENT_ID = /^([^]*):\d+\.(\d+)$/;

/** Receives what a stream brings. */
export interface Sink {
  /**
   * Of an agent without a Pageside server: the events that one stands for. Throws if it is illegal.
   * Such a stream has no positions.
   */
  read?(event: AgUiEvent): readonly AgUiEvent[];
  /** Takes one event, its chunks unfolded. Returns true to end the reading. */
  apply(event: AgUiEvent): boolean;
  /** Called after the events that arrived together were applied. */
  flush(): void;
  /** Called when the server has accepted the request. */
  opened(): void;
}

/** Reads one stream over any number of connections. Skips repeated events. */
export class EventReader {
  /** The id of the last event that had one: the next connection continues there. */
  lastId: string | undefined;
  /** When something last arrived, even a comment, in milliseconds since the epoch. */
  heardAt = 0;
  /** Whether the server itself ended the last connection. */
  isWhole = false;
  readonly sink: Sink;
  #runId: string | undefined;
  #seq = 0;
  #chunks = new ChunkExpander();

  constructor(sink: Sink, lastId?: string) {
    this.sink = sink;
    this.#advance(lastId);
  }

  /** Applies one batch. Reports whether the sink is done. */
  take(batch: readonly SseEvent[]): boolean {
    this.heardAt = Date.now();
    let done = false;
    for (const { id, data } of batch) {
      if (done || this.#isRepeated(id)) continue;
      const sent = parseEvent(data);
      try {
        for (const event of this.sink.read?.(sent) ?? [sent]) done = this.#apply(event) || done;
      } catch (cause) {
        if (cause instanceof Failure) throw cause;
        throw protocolFailure(`The server sent a malformed ${sent.type}.`);
      }
      if (!this.sink.read) this.#advance(id);
    }
    this.sink.flush();
    return done;
  }

  #apply(event: AgUiEvent): boolean {
    if (event.type === "RUN_STARTED") this.#chunks = new ChunkExpander();
    let done = false;
    for (const each of this.#chunks.expand(event)) done = this.sink.apply(each) || done;
    return done;
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
 * Sends a request and reads the stream it opens. Resolves with true once the sink is done, with
 * false if the stream ended or broke first. Rejects if the request failed or was refused, the
 * stream is not AG-UI, or the signal is aborted.
 */
export async function connect(
  http: Transport,
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
    guard(reader, connection);
    const batches = readSse(body);
    for (;;) {
      const batch = await nextBatch(batches, signal);
      reader.isWhole = batch === null;
      if (!batch) return false;
      done = reader.take(batch);
      if (!done) continue;
      void linger(batches, disconnect);
      return true;
    }
  } finally {
    signal.removeEventListener("abort", disconnect);
    if (!done) disconnect(); // an unread stream would keep its connection
  }
}

/** Ends a connection that has died silently: after sleep, behind a proxy, in another network. */
function guard(reader: EventReader, connection: AbortController): void {
  const { signal } = connection;
  if (signal.aborted) return;
  const disconnect = () => connection.abort();
  const timer = setInterval(() => {
    // Only a server that numbers its events lets us resume.
    if (reader.lastId !== undefined && Date.now() - reader.heardAt > SILENCE) disconnect();
  }, LISTEN);
  signal.addEventListener("abort", () => clearInterval(timer));
  onlineEvents()?.addEventListener("online", disconnect, { signal });
}

/** The next events; null if the stream ended, undefined if it broke. */
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
