/** An AG-UI agent for tests, over HTTP: it plays one script for each run, and keeps its inputs. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { listen } from "../../../scripts/listen.mjs";
import type { AgUiEvent } from "../src/protocol/events.js";
import type { Message } from "../src/index.js";

export interface AgentInput {
  threadId: string;
  runId: string;
  parentRunId?: string;
  protocolVersion?: string;
  state: unknown;
  messages: Message[];
  tools: { name: string; metadata?: object }[];
  context: { description: string; value: string }[];
  forwardedProps: Record<string, unknown>;
  resume?: object[];
}

/** What an agent does with a run. Text is written as it is; after `CUT`, the connection is cut. */
export type AgentScript = (input: AgentInput) => Iterable<object | string> | AsyncIterable<object | string>;

/** Cuts the connection. */
export const CUT = "cut";

/** The response of a run that goes on until the client leaves. */
export const LEFT = "left";

export class TestAgent {
  readonly inputs: AgentInput[] = [];
  readonly headers: IncomingMessage["headers"][] = [];
  /** How many runs the client has left before they ended. */
  left = 0;
  url = "";
  readonly #scripts: (AgentScript | [status: number, type: string, body: string])[] = [];
  /** Ends its server. */
  stop: () => Promise<void> = async () => {};

  async start(): Promise<this> {
    const server = await listen((request, response) => void this.#answer(request, response));
    this.url = `${server.url}/agent`;
    this.stop = server.stop;
    return this;
  }

  /** Says what the next run does. */
  onRun(script: AgentScript): this {
    this.#scripts.push(script);
    return this;
  }

  /** Says how the next run is refused. */
  onRunRefuse(status: number, type = "text/plain", body = "no"): this {
    this.#scripts.push([status, type, body]);
    return this;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const input = JSON.parse(body) as AgentInput;
    this.inputs.push(input);
    this.headers.push(request.headers);
    response.once("close", () => (this.left += response.writableFinished ? 0 : 1));
    const script = this.#scripts.shift();
    if (!script) return void request.socket.destroy();
    if (Array.isArray(script)) {
      const [status, type, text] = script;
      return void response.writeHead(status, { "Content-Type": type }).end(text);
    }
    response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" });
    for await (const event of script(input)) {
      if (event === CUT) return void request.socket.destroySoon();
      if (event === LEFT) return;
      response.write(typeof event === "string" ? event : `data: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  }
}

/** A run that is whole: what is between its first event and its last one. */
export const run = (...events: readonly (object | string | Iterable<object>)[]): AgentScript =>
  function* ({ threadId, runId }) {
    yield { type: "RUN_STARTED", threadId, runId };
    for (const event of events) {
      if (typeof event === "object" && Symbol.iterator in event) yield* event;
      else yield event;
    }
    yield { type: "RUN_FINISHED", threadId, runId };
  };

/** A run that ends with these questions. */
export const asking = (...interrupts: object[]): AgentScript =>
  function* ({ threadId, runId }) {
    yield { type: "RUN_STARTED", threadId, runId };
    yield { type: "RUN_FINISHED", threadId, runId, outcome: { type: "interrupt", interrupts } };
  };

/** The events without the last one. */
export const begin = (events: Iterable<AgUiEvent>): AgUiEvent[] => [...events].slice(0, -1);
