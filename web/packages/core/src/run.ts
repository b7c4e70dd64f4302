/** One run: the request, and its stream of events up to the terminal one. */
import { ChunkExpander } from "./chunks.js";
import { parseEvent, type AgUiEvent, type EventOf } from "./events.js";
import { Failure, protocolFailure } from "./failure.js";
import type { Http } from "./http.js";
import { readSse, type SseEvent } from "./sse.js";
import type { ClientError } from "./types.js";

type Batches = AsyncGenerator<SseEvent[], void, undefined>;

export type RunEnd =
  | { kind: "finished"; pending: readonly string[]; cancelled: boolean; interrupted: boolean }
  | { kind: "failed"; error: ClientError };

/** Codes of RUN_ERROR with which the same request would fail again. */
const FINAL_CODES = new Set(["llm_auth", "llm_bad_request", "llm_context_full"]);

/** How long a stream may stay open after its terminal event, in milliseconds, before it is closed from here. */
const LINGER = 1000;

/**
 * Posts the input and calls `apply` for every event, chunks unfolded, then `afterBatch` for those that arrived
 * together. Rejects where the request is refused, the stream is not AG-UI, or the signal is aborted.
 */
export async function streamRun(
  http: Http,
  path: string,
  input: object,
  signal: AbortSignal,
  apply: (event: AgUiEvent) => void,
  afterBatch: () => void,
): Promise<RunEnd> {
  const connection = new AbortController();
  const disconnect = () => connection.abort();
  signal.addEventListener("abort", disconnect);
  let end: RunEnd | undefined;
  try {
    const headers = { Accept: "text/event-stream" };
    const { body } = await http.send(path, { json: input, headers, signal: connection.signal });
    if (!body) return interrupted();
    const batches = readSse(body);
    const chunks = new ChunkExpander();
    for (;;) {
      const batch = await nextBatch(batches, signal);
      if (!batch) return interrupted();
      end = applyBatch(batch, chunks, apply);
      afterBatch();
      if (end) {
        void linger(batches, disconnect);
        return end;
      }
    }
  } finally {
    signal.removeEventListener("abort", disconnect);
    if (!end) disconnect(); // a stream that nobody reads would keep its connection
  }
}

/** The next events, or undefined where the stream ended or broke. */
async function nextBatch(batches: Batches, signal: AbortSignal): Promise<readonly SseEvent[] | undefined> {
  try {
    const { done, value } = await batches.next();
    return done ? undefined : value;
  } catch (error) {
    if (signal.aborted || error instanceof Failure) throw error;
    return undefined;
  }
}

function applyBatch(
  batch: readonly SseEvent[],
  chunks: ChunkExpander,
  apply: (event: AgUiEvent) => void,
): RunEnd | undefined {
  for (const { data } of batch) {
    const event = parseEvent(data);
    try {
      for (const each of chunks.expand(event)) apply(each);
    } catch {
      throw protocolFailure(`The server sent a malformed ${event.type}.`);
    }
    const end = endOf(event);
    if (end) return end;
  }
  return undefined;
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
}

function endOf(event: AgUiEvent): RunEnd | undefined {
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

function runError({ message, code = "run_error" }: EventOf<"RUN_ERROR">): ClientError {
  return { code, message, retryable: !FINAL_CODES.has(code) };
}

function interrupted(): RunEnd {
  const message = "The connection ended before the answer was complete.";
  return { kind: "failed", error: { code: "interrupted", message, retryable: true } };
}
