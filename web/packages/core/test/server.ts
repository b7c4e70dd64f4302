/**
 * A server for tests: an object with a `fetch` that answers from scripts and keeps what was asked.
 */
import type { AgUiEvent } from "../src/protocol/events.js";
import type { Message } from "../src/index.js";

export interface RunInput {
  threadId: string;
  runId: string;
  protocolVersion: string;
  messages: Message[];
  tools: { name: string }[];
  context: { description: string; value: string }[];
  state: unknown;
  forwardedProps: { pageside: { page?: string; context: { id: string; kind: string }[] } };
}

/** What a run does: events, possibly after waiting, from its input. */
export type Script = (input: RunInput, signal: AbortSignal) => AsyncIterable<AgUiEvent> | Iterable<AgUiEvent>;

type Handler = (request: { url: string; init: RequestInit }) => Response | Promise<Response>;

export class TestServer {
  /** The inputs of all runs, in order. */
  readonly inputs: RunInput[] = [];
  /** All other requests: `"GET /v1/threads?limit=50"`. */
  readonly requests: string[] = [];
  readonly routes = new Map<string, Handler>();
  #scripts: (Script | Handler)[] = [];

  /** Says what the next run does. */
  onRun(script: Script): this {
    this.#scripts.push(script);
    return this;
  }

  /** Says how the next run is refused. */
  onRunRefuse(status: number, body: unknown): this {
    this.#scripts.push(Object.assign(() => json(body, status), { isHandler: true }) as Handler);
    return this;
  }

  readonly fetch: typeof fetch = async (target, init = {}) => {
    const url = String(target);
    const path = url.replace("https://test", "");
    if (!path.endsWith("/run")) {
      this.requests.push(`${init.method ?? "GET"} ${path}`);
      return (
        (await this.routes.get(path.split("?")[0]!)?.({ url, init })) ??
        json({ error: { code: "not_found", message: "no" } }, 404)
      );
    }
    const input = JSON.parse(String(init.body)) as RunInput;
    this.inputs.push(input);
    const script = this.#scripts.shift();
    if (!script) throw new TypeError("Failed to fetch");
    if ("isHandler" in script) return (script as Handler)({ url, init });
    return new Response(stream(input, (script as Script)(input, init.signal!), init.signal!));
  };
}

export function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });
}

function stream(
  { threadId, runId }: RunInput,
  events: AsyncIterable<AgUiEvent> | Iterable<AgUiEvent>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async start(controller) {
      const send = (event: object) => controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
      signal.addEventListener("abort", () => controller.error(signal.reason));
      try {
        send({ type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" });
        for await (const event of events) send({ threadId, runId, ...event });
        controller.close();
      } catch {
        // The client went away.
      }
    },
  });
}

// ---------------------------------------------------------------- events

const event = (value: object) => value as AgUiEvent;

export const finished = (outcome?: object) => event({ type: "RUN_FINISHED", ...(outcome && { outcome }) });

export function* text(id: string, ...deltas: string[]): Iterable<AgUiEvent> {
  yield event({ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" });
  for (const delta of deltas) yield event({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta });
  yield event({ type: "TEXT_MESSAGE_END", messageId: id });
}

export function* call(id: string, name: string, args: unknown, parentMessageId?: string): Iterable<AgUiEvent> {
  yield event({
    type: "TOOL_CALL_START",
    toolCallId: id,
    toolCallName: name,
    ...(parentMessageId && { parentMessageId }),
  });
  yield event({
    type: "TOOL_CALL_ARGS",
    toolCallId: id,
    delta: typeof args === "string" ? args : JSON.stringify(args),
  });
  yield event({ type: "TOOL_CALL_END", toolCallId: id });
}

export const result = (id: string, content: unknown) =>
  event({
    type: "TOOL_CALL_RESULT",
    messageId: `r-${id}`,
    toolCallId: id,
    content: JSON.stringify(content),
    role: "tool",
  });

/** An answer of one message. */
export const answer = (words: string, id = "a1"): Script =>
  function* () {
    yield* text(id, words);
    yield finished();
  };

/** A run that calls tools of the page and waits for them. */
export const calls = (...list: [id: string, name: string, args?: unknown][]): Script =>
  function* () {
    for (const [id, name, args = {}] of list) yield* call(id, name, args, "m-" + list[0]![0]);
    yield finished({ type: "success", pendingToolCallIds: list.map(([id]) => id) });
  };
