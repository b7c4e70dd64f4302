import { textOf, type Clock } from "@pageside/core";
import { systemClock } from "./clock.js";
import { eventOf, frameOf, idOf, type RunInput } from "./events.js";
import { parseRecording, type EndLine, type FrameLine, type RecordingLine, type RequestLine, type ResponseLine } from "./recording.js"; // prettier-ignore
import { pathOf, requestOf, type Asked } from "./request.js";
import { refusal, streamOf } from "./streams.js";

/** How a recording is played. */
export interface PlayerOptions {
  /**
   * How fast: 1 as it was recorded, 10 ten times as fast.
   * @defaultValue `Infinity`
   */
  speed?: number;
  /**
   * For the pauses between two frames.
   * @defaultValue the machine's time
   */
  clock?: Clock;
}

/** A server that answers as a recording says. */
export interface EventPlayer {
  /** What a client takes as its `fetch`. */
  readonly fetch: typeof fetch;
  /** How many of the recorded requests have not been made yet. */
  readonly left: number;
}

interface Exchange {
  request: RequestLine;
  response?: ResponseLine;
  stream: (FrameLine | EndLine)[];
  isPlayed: boolean;
}

/**
 * Plays a recording: a client that asks the same as the recorded one is answered the same, with the
 * ids of its own threads, runs and messages in the place of the recorded ones. Runs are played in
 * their order; a run whose message is another than the recorded one is refused with
 * `recording_mismatch`.
 *
 * @example
 * const player = playRecording(readFileSync("errors.jsonl", "utf8"));
 * const client = createPagesideClient({ fetch: player.fetch });
 * await client.send("Show me the errors");
 */
export function playRecording(
  recording: string | readonly RecordingLine[],
  { speed = Infinity, clock = systemClock }: PlayerOptions = {},
): EventPlayer {
  const lines = typeof recording === "string" ? parseRecording(recording) : recording;
  const exchanges = exchangesOf(lines);
  /** What the recording calls it, and what the client calls it. */
  const ids = new Map<string, string>();

  async function* frames({ response, stream }: Exchange, signal: AbortSignal): AsyncGenerator<string> {
    let now = response?.at ?? 0;
    for (const line of stream) {
      const wait = (line.at - now) / speed;
      now = line.at;
      if (wait > 0) await clock.sleep(wait, signal);
      if (line.kind === "frame") yield renamed(line.frame, ids);
      else if (line.broken) throw new TypeError("network error");
    }
  }

  return {
    get left() {
      return exchanges.filter(({ isPlayed }) => !isPlayed).length;
    },
    async fetch(target, init) {
      const asked = await requestOf(target, init);
      const { signal } = asked;
      if (signal.aborted) throw signal.reason;
      const body = asked.text === "" ? undefined : (JSON.parse(asked.text) as RunInput);
      const isRun = asked.method === "POST" && asked.url.pathname.endsWith("/run");
      const found = isRun ? nextRun(exchanges, body!, ids) : find(exchanges, asked, ids);
      if (found instanceof Response) return found;
      found.isPlayed = true;
      const { response } = found;
      if (!response) throw new TypeError("network error"); // as it was when it was recorded
      if (response.type === "text/event-stream") return streamOf(frames(found, signal), signal);
      const isEmpty = response.status === 204 || !response.body;
      const headers = { "Content-Type": response.type };
      return new Response(isEmpty ? null : renameText(response.body!, ids), { status: response.status, headers });
    },
  };
}

function exchangesOf(lines: readonly RecordingLine[]): Exchange[] {
  const exchanges = new Map<number, Exchange>();
  for (const line of lines) {
    if (line.kind === "request") exchanges.set(line.request, { request: line, stream: [], isPlayed: false });
    else if (line.kind === "response") Object.assign(exchanges.get(line.request) ?? {}, { response: line });
    else if (line.kind !== "recording") exchanges.get(line.request)?.stream.push(line);
  }
  return [...exchanges.values()];
}

/** The next run, where it asks what is asked now. */
function nextRun(exchanges: readonly Exchange[], body: RunInput, ids: Map<string, string>): Exchange | Response {
  const next = exchanges.find(({ request, isPlayed }) => !isPlayed && isRunRequest(request));
  if (!next) return mismatch(`has no further run, the client asks: ${questionOf(body)}`);
  const recorded = next.request.body as RunInput;
  if (questionOf(recorded) !== questionOf(body)) {
    return mismatch(`goes on with ${questionOf(recorded)}, the client with ${questionOf(body)}`);
  }
  learn(recorded, body, ids);
  return next;
}

function isRunRequest({ method, path }: RequestLine): boolean {
  return method === "POST" && path.endsWith("/run");
}

function mismatch(what: string): Response {
  return refusal(400, "recording_mismatch", `The recording ${what}.`);
}

/** What a run is about: the message of the user, or the tools whose results it brings. */
function questionOf({ messages }: RunInput): string {
  const question = messages.findLast(({ role }) => role === "user");
  if (question) return `"${textOf(question.content)}"`;
  const results = messages.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : []));
  return results.length > 0 ? `results of ${results.join(", ")}` : "no message";
}

/** Which ids of the client stand for which of the recording. */
function learn(recorded: RunInput, body: RunInput, ids: Map<string, string>): void {
  ids.set(recorded.threadId, body.threadId);
  ids.set(recorded.runId, body.runId);
  const asked = body.messages.filter(({ role }) => role === "user");
  const were = recorded.messages.filter(({ role }) => role === "user");
  for (const [index, { id }] of were.entries()) if (asked[index]) ids.set(id, asked[index].id);
}

/** The recorded answer to a request, the next one or else the last one to the same. */
function find(
  exchanges: readonly Exchange[],
  { method, url }: Asked,
  ids: ReadonlyMap<string, string>,
): Exchange | Response {
  const path = pathOf(url);
  const fits = exchanges.filter(({ request }) => request.method === method && sameAddress(request.path, path, ids));
  const found = fits.find(({ isPlayed }) => !isPlayed) ?? fits.at(-1);
  return found ?? refusal(404, "not_found", `The recording has no ${method} ${path}.`);
}

function sameAddress(recorded: string, asked: string, ids: ReadonlyMap<string, string>): boolean {
  const parts = (path: string) => path.split(/(?=[/?&])/).map(decodeURIComponent);
  const [were, are] = [parts(recorded), parts(asked)];
  return were.length === are.length && were.every((part, index) => rename(part.slice(1), ids) === are[index]!.slice(1));
}

/** A frame with the client's ids. */
function renamed(frame: string, ids: ReadonlyMap<string, string>): string {
  const event = eventOf(frame);
  if (!event) return `${frame}\n\n`;
  const id = idOf(frame);
  const data = renameAll(event, ids) as object;
  if (id === undefined) return `data: ${JSON.stringify(data)}\n\n`;
  const colon = id.lastIndexOf(":");
  return frameOf(`${rename(id.slice(0, colon), ids)}${id.slice(colon)}`, data);
}

function renameText(text: string, ids: ReadonlyMap<string, string>): string {
  try {
    return JSON.stringify(renameAll(JSON.parse(text), ids));
  } catch {
    return text;
  }
}

function renameAll(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return rename(value, ids);
  if (Array.isArray(value)) return value.map((each) => renameAll(each, ids));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, renameAll(each, ids)]));
}

function rename(id: string, ids: ReadonlyMap<string, string>): string {
  return ids.get(id) ?? id;
}
