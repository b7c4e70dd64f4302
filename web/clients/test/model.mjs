// A model server that speaks OpenAI's chat completions and says what its rules say: the first whose
// pattern the newest message of the user matches. Beside it, the tools of the server.
import { setTimeout as sleep } from "node:timers/promises";
import { listen } from "../../scripts/listen.mjs";

/** What every test may ask for; a step is given what the calls since the question have returned. */
export const answers = [
  [/^say hello/, { text: "Hello! Grüße, 世界 and 👋🏽." }],
  [/^think/, { reasoning: "Let me see whether six times seven is 42.", text: "It is 42." }],
  [
    /^write markdown/,
    {
      text: "## Fruit\n\nSome are **sweet**, some are `sour`.\n\n| fruit | price |\n|---|---|\n| Apple | 3 |\n\n- one\n- two\n",
      delay: 5,
    },
  ],
  [
    /^weather in (\w+)/,
    (results, [, city]) =>
      results.length === 0
        ? { text: "Let me look.", calls: [{ name: "get_weather", args: { city } }] }
        : { text: `It has ${JSON.parse(results[0]).celsius} degrees.` },
  ],
  [
    /^cite papers/,
    (results) =>
      results.length === 0
        ? { calls: [{ name: "search_papers", args: {} }] }
        : { text: "Größe [1], then [2] and [1, 3]; `[1]` is code." },
  ],
  [
    /^paint it (\w+)/,
    (results, [, colour]) =>
      results.length === 0
        ? { calls: [{ name: "paint", args: { colour } }] }
        : { text: `The page says: ${results[0]}.` },
  ],
  [
    /^weather and paint it (\w+)/,
    (results, [, colour]) =>
      results.length === 0
        ? {
            calls: [
              { name: "get_weather", args: { city: "Ulm" } },
              { name: "paint", args: { colour } },
            ],
          }
        : { text: `With ${results.length} results: ${results[1]}.` },
  ],
  [
    /^send a mail to (\w+)/,
    (results, [, to]) => {
      if (results.length === 0) return { text: "I will send it.", calls: [{ name: "send_mail", args: { to } }] };
      return { text: results[0].includes('"sent"') ? "It is sent." : "Then I will not." };
    },
  ],
  [/^count for ever/, { text: words(2000), delay: 100 }],
  [/^count slowly/, { text: words(60), delay: 100 }],
  [/^fail at once/, { status: 401 }],
  [/^fail in the middle/, { text: "This is how far", delay: 5, breaks: true }],
  [/^how often/, (_results, _match, times) => ({ text: `I was asked ${times} times.` })],
];

function words(n) {
  return Array.from({ length: n }, (_, i) => `w${i + 1}`).join(" ");
}

/** Starts the model; `rules` come before the common ones. */
export async function startModel(rules = []) {
  const known = [...rules, ...answers];
  const requests = [];
  const done = { mails: [] };
  const times = new Map();
  const server = await listen(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const body = text === "" ? {} : JSON.parse(text);
    const tool = tools[new URL(request.url, "http://model").pathname];
    if (tool) return void response.writeHead(200, json).end(JSON.stringify(tool(body, done)));
    if (!request.url.endsWith("/chat/completions")) return void response.writeHead(404).end();
    requests.push(body);
    await say(response, body, stepOf(known, body.messages, times));
  });
  return { ...server, requests, done };
}

const json = { "Content-Type": "application/json" };

const tools = {
  "/tools/weather": ({ city }) => ({ city, celsius: 21 }),
  "/tools/papers": () => ({
    hits: [
      { name: "First study", link: "https://example.com/1", about: "It worked." },
      { name: "Second study", link: "/articles/2" },
      { name: "A book" },
    ],
  }),
  "/tools/mail": ({ to }, done) => (done.mails.push(to), { sent: to }),
};

function stepOf(known, messages, times) {
  const at = messages.findLastIndex((m) => m.role === "user");
  const asked = textOf(messages[at]).replace(/^<page_context[^]*<\/page_context>\s*/, "");
  const results = messages
    .slice(at + 1)
    .filter((m) => m.role === "tool")
    .map(textOf);
  for (const [pattern, step] of known) {
    const match = pattern.exec(asked);
    if (!match) continue;
    times.set(asked, (times.get(asked) ?? 0) + 1);
    return typeof step === "function" ? step(results, match, times.get(asked)) : step;
  }
  return { text: `I do not know what to say to: ${asked}` };
}

function textOf({ content }) {
  return typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");
}

async function say(response, body, step) {
  if (step.status) {
    return void response.writeHead(step.status, json).end(JSON.stringify({ error: { message: "no", type: "no" } }));
  }
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: body.model };
  const send = (data) => response.write(`data: ${JSON.stringify({ ...head, ...data })}\n\n`);
  const delta = (part, finish_reason = null) => send({ choices: [{ index: 0, delta: part, finish_reason }] });
  delta({ role: "assistant" });
  for (const word of pieces(step.reasoning)) delta({ reasoning_content: word });
  for (const word of pieces(step.text)) {
    if (response.destroyed) return;
    delta({ content: word });
    if (step.delay) await sleep(step.delay);
  }
  if (step.breaks) return void response.destroy();
  for (const [index, call] of (step.calls ?? []).entries()) sayCall(delta, index, call);
  delta({}, step.calls ? "tool_calls" : "stop");
  if (body.stream_options?.include_usage) {
    send({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } });
  }
  response.end("data: [DONE]\n\n");
}

let calls = 0;

function sayCall(delta, index, { name, args }) {
  delta({ tool_calls: [{ index, id: `call_${++calls}`, type: "function", function: { name, arguments: "" } }] });
  for (const piece of JSON.stringify(args).match(/.{1,4}/gs)) {
    delta({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
}

function pieces(text = "") {
  return text.match(/\s*\S+\s*/g) ?? [];
}
