import type { RecordingLine } from "./recording.js";
import { pathOf, requestOf } from "./request.js";

/** How requests are recorded. */
export interface RecorderOptions {
  /**
   * Makes the requests.
   * @defaultValue the global `fetch`
   */
  fetch?: typeof fetch;
  /** Takes each line as it comes, with its line feed: append it to a file. */
  write?: (line: string) => void;
  /** Changes a line before it is kept. `undefined` drops it. */
  redact?: (line: RecordingLine) => RecordingLine | undefined;
  /**
   * Milliseconds since some fixed moment.
   * @defaultValue `performance.now`
   */
  now?: () => number;
}

/** Records what a client and its server say to each other. */
export interface EventRecorder {
  /** What a client takes as its `fetch`. */
  readonly fetch: typeof fetch;
  readonly lines: readonly RecordingLine[];
  /** The recording so far, as lines of JSON. */
  toString(): string;
}

/**
 * Records what a client and a server say to each other: every request and every frame of every
 * stream, as lines of JSON with times. Headers are left out; what users wrote and what the server
 * answered is in it, so treat the file as such. The client notices nothing.
 *
 * @example
 * const recorder = recordEvents({ write: (line) => appendFileSync("errors.jsonl", line) });
 * const client = createPagesideClient({ url: "http://127.0.0.1:8420", fetch: recorder.fetch });
 * await client.send("Show me the errors");
 */
export function recordEvents(options: RecorderOptions = {}): EventRecorder {
  const { write, redact = (line) => line, now = () => performance.now() } = options;
  const lines: RecordingLine[] = [];
  const start = now();
  let requests = 0;

  function keep(line: RecordingLine): void {
    const kept = redact(line);
    if (!kept) return;
    lines.push(kept);
    write?.(`${JSON.stringify(kept)}\n`);
  }
  const at = () => Math.round(now() - start);

  keep({ kind: "recording", version: 1, startedAt: new Date().toISOString() });
  return {
    lines,
    toString: () => lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    async fetch(target, init) {
      const { url, method, text } = await requestOf(target instanceof Object && "clone" in target ? target.clone() : target, init); // prettier-ignore
      const request = ++requests;
      const body = text === "" ? {} : { body: parsed(text) };
      keep({ kind: "request", request, at: at(), method, path: pathOf(url), ...body });
      const response = await (options.fetch ?? fetch)(target, init);
      const { status } = response;
      const type = response.headers.get("Content-Type")?.split(";")[0] ?? "";
      if (type !== "text/event-stream" || !response.body) {
        keep({ kind: "response", request, at: at(), status, type, body: await response.clone().text() });
        return response;
      }
      keep({ kind: "response", request, at: at(), status, type });
      const frames = new Frames((frame) => keep({ kind: "frame", request, at: at(), frame }));
      const end = (broken: boolean) => keep({ kind: "end", request, at: at(), ...(broken && { broken }) });
      const { statusText, headers } = response;
      return new Response(watched(response.body, frames, end), { status, statusText, headers });
    },
  };
}

/** The same bytes, looked at on their way. */
function watched(
  body: ReadableStream<Uint8Array>,
  frames: Frames,
  end: (broken: boolean) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          frames.push(value);
          return controller.enqueue(value);
        }
        end(false);
        controller.close();
      } catch (cause) {
        end(true);
        controller.error(cause);
      }
    },
    async cancel(reason) {
      end(true);
      await reader.cancel(reason);
    },
  });
}

/** Cuts a stream into frames, however its bytes come. */
class Frames {
  readonly #decoder = new TextDecoder();
  readonly #take: (frame: string) => void;
  #rest = "";

  constructor(take: (frame: string) => void) {
    this.#take = take;
  }

  push(bytes: Uint8Array): void {
    const frames = (this.#rest + this.#decoder.decode(bytes, { stream: true })).replaceAll("\r\n", "\n").split("\n\n");
    this.#rest = frames.pop()!;
    for (const frame of frames) this.#take(frame);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
