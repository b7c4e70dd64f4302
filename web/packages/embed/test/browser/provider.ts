// A model behind an OpenAI-compatible address that says what it is told, at the pace it is told,
// and the tray that asks it.
import type { IncomingMessage, ServerResponse } from "node:http";
import { listen } from "../../../../scripts/listen.mjs";
import { stack, startPage, startServe, type Running } from "./servers.js";

/**
 * What the model says, and when: pieces, and how many of them were said after so many milliseconds.
 */
export interface Speech {
  pieces: readonly string[];
  saidAt: (milliseconds: number) => number;
}

/** One piece after the other, `count` at a time. */
export const every = (milliseconds: number, pieces: readonly string[], count = 1): Speech => ({
  pieces,
  saidAt: (at) => count * Math.floor(at / milliseconds),
});

/** The whole at once. */
export const atOnce = (text: string): Speech => ({ pieces: [text], saidAt: () => 1 });

/**
 * Starts a server whose model answers the question `name` with the speech of that name, and a page
 * with its tray.
 */
export async function startSpeeches(speeches: Readonly<Record<string, Speech>>): Promise<Running> {
  const model = await listen((request, response) => void answer(request, response, speeches));
  const config = `models:
  main: {use: openai/told, key: env:MODEL_KEY, baseUrl: "${model.url}/v1"}
agents:
  - {id: default, description: Says what it is told., model: main, instructions: Answer.}
`;
  const server = await startServe({ "pageside.yaml": config }, { MODEL_KEY: "none" });
  const page = await startPage(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Host</title><link rel="icon" href="data:,">
     <script type="module" src="/pageside.js" data-open></script></head><body><h1>Host</h1></body></html>`,
    server.url,
  );
  return stack(page, server, model);
}

interface Asked {
  messages: { role: string; content: unknown }[];
}

async function answer(request: IncomingMessage, response: ServerResponse, speeches: Readonly<Record<string, Speech>>) {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const { messages } = JSON.parse(body) as Asked;
  const question = JSON.stringify(messages.findLast(({ role }) => role === "user")?.content ?? "");
  const name = Object.keys(speeches).find((name) => question.includes(`say ${name}.`));
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  await say(response, name === undefined ? atOnce("Nothing.") : speeches[name]!);
  response.end("data: [DONE]\n\n");
}

/** What a late timer leaves out comes with the next one: the pace holds on a busy machine, too. */
async function say(response: ServerResponse, { pieces, saidAt }: Speech) {
  const send = (delta: object, finish: string | null = null) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
  const begin = performance.now();
  for (let said = 0; said < pieces.length && !response.destroyed;) {
    const until = Math.min(pieces.length, saidAt(performance.now() - begin));
    while (said < until) send({ content: pieces[said++] });
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  send({}, "stop");
}
