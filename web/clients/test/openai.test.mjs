// The `openai` package, unmodified: its helpers for streams, tools and errors included.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import OpenAI, { APIError, APIUserAbortError, BadRequestError, NotFoundError, PermissionDeniedError } from "openai";
import { quiet } from "./console.mjs";
import { startServer } from "./server.mjs";

const paint = {
  name: "paint",
  description: "Paints the page.",
  parameters: { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] },
};
const HELLO = "Hello! Grüße, 世界 and 👋🏽.";

describe("openai 7.57.0", () => {
  let server, client;
  before(async () => {
    server = await startServer({ config: { dropIns: ["openai"] } });
    client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 });
  });
  after(() => server?.stop());
  const test = (name, work) => it(name, { timeout: 120_000 }, () => quiet(work));

  const asked = (content) => ({ model: "default", messages: [{ role: "user", content }] });

  test("agents are models", async () => {
    const ids = [];
    for await (const model of client.models.list()) ids.push(model.id);
    assert.deepEqual(ids, ["default"]);
    assert.equal((await client.models.retrieve("default")).object, "model");
    await assert.rejects(client.models.retrieve("other"), NotFoundError);
  });

  test("completions: text, usage, a tool of the server", async () => {
    const hello = await client.chat.completions.create(asked("say hello"));
    assert.equal(hello.choices[0].message.content, HELLO);
    assert.equal(hello.choices[0].finish_reason, "stop");
    assert.equal(hello.usage.total_tokens, 15);
    const weather = await client.chat.completions.create(asked("weather in Ulm"));
    assert.equal(weather.choices[0].message.content, "Let me look.\n\nIt has 21 degrees.");
    assert.equal(weather.choices[0].message.tool_calls, undefined, "the server's tools run unseen");
  });

  test("completions: a stream, and what its helper puts together", async () => {
    let text = "";
    let usage;
    const body = { ...asked("write markdown"), stream: true, stream_options: { include_usage: true } };
    for await (const chunk of await client.chat.completions.create(body)) {
      text += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    assert.match(text, /\| Apple \| 3 \|\n\n- one\n- two\n?$/);
    assert.equal(usage.total_tokens, 15);
    const stream = client.chat.completions.stream(asked("think"));
    assert.equal(await stream.finalContent(), "It is 42.");
  });

  // Positions are of characters; the source without an address of the web has no citation.
  const CITED = ["[1]", "[1, 3]"].map((mark) => [mark, "https://example.com/1", "First study"]);
  const citedIn = (text, list) =>
    list.map(({ start_index, end_index, url, title }) => [
      [...text].slice(start_index, end_index).join(""),
      url,
      title,
    ]);

  test("completions and responses: citations", async () => {
    const { message } = (await client.chat.completions.create(asked("cite papers"))).choices[0];
    assert.deepEqual(
      citedIn(
        message.content,
        message.annotations.map((a) => a.url_citation),
      ),
      CITED,
    );
    const streamed = [];
    let text = "";
    for await (const chunk of await client.chat.completions.create({ ...asked("cite papers"), stream: true })) {
      text += chunk.choices[0].delta.content ?? "";
      streamed.push(...(chunk.choices[0].delta.annotations ?? []).map((a) => a.url_citation));
    }
    assert.deepEqual(citedIn(text, streamed), CITED);
    const request = { model: "default", input: "cite papers" };
    const [item] = (await client.responses.create(request)).output;
    assert.deepEqual(citedIn(item.content[0].text, item.content[0].annotations), CITED);
    const added = [];
    const stream = client.responses.stream(request);
    for await (const event of stream) {
      if (event.type === "response.output_text.annotation.added") added.push(event.annotation);
    }
    const whole = await stream.finalResponse();
    assert.deepEqual(citedIn(whole.output_text, added), CITED);
    assert.deepEqual(whole.output[0].content[0].annotations, added);
  });

  for (const stream of [false, true]) {
    test(`completions: runTools plays a tool of the client, ${stream ? "streamed" : "at once"}`, async () => {
      const colours = [];
      const run = (args) => (colours.push(args.colour), `painted ${args.colour}`);
      const tools = [{ type: "function", function: { ...paint, parse: JSON.parse, function: run } }];
      for (const question of ["paint it red", "weather and paint it blue"]) {
        const runner = client.chat.completions.runTools({ ...asked(question), stream, tools });
        const colour = question.split(" ").at(-1);
        assert.match(await runner.finalContent(), new RegExp(`painted ${colour}\\.$`));
      }
      assert.deepEqual(colours, ["red", "blue"]);
    });
  }

  test("completions: what asks a person fails, and nothing is sent", async () => {
    const body = asked("send a mail to ada");
    const refused = (e) => e instanceof PermissionDeniedError && e.code === "approval_required";
    await assert.rejects(client.chat.completions.create(body), refused);
    await assert.rejects(client.chat.completions.stream(body).finalContent(), APIError);
    assert.deepEqual(server.model.done.mails, []);
  });

  test("completions: errors say what is wrong", async () => {
    const wrong = client.chat.completions.create({ ...asked("say hello"), n: 2 });
    await assert.rejects(wrong, (e) => e instanceof BadRequestError && e.param === "n");
    await assert.rejects(client.chat.completions.create(asked("fail at once")), { status: 502, code: "llm_auth" });
    let text = "";
    const broken = async () => {
      const chunks = await client.chat.completions.create({ ...asked("fail in the middle"), stream: true });
      for await (const chunk of chunks) text += chunk.choices[0]?.delta.content ?? "";
    };
    await assert.rejects(broken, (e) => e instanceof APIError && e.code === "llm_network");
    assert.equal(text.trim(), "This is how far");
  });

  test("completions: a long answer is stopped, and the next question answered", async () => {
    const chunks = await client.chat.completions.create({ ...asked("count for ever"), stream: true });
    for await (const chunk of chunks) if (chunk.choices[0]?.delta.content?.includes("w3")) break;
    const stream = client.chat.completions.stream(asked("count for ever"));
    stream.on("content", () => stream.abort());
    await assert.rejects(stream.done(), APIUserAbortError);
    const next = await client.chat.completions.create(asked("say hello"));
    assert.equal(next.choices[0].message.content, HELLO);
  });

  test("responses: text, reasoning left out, the conversation goes on", async () => {
    const first = await client.responses.create({ model: "default", input: "think" });
    assert.equal(first.output_text, "It is 42.");
    assert.equal(first.status, "completed");
    const body = { model: "default", input: "say hello", previous_response_id: first.id };
    const second = await client.responses.create(body);
    assert.equal(second.output_text, HELLO);
    const told = server.model.requests.at(-1).messages.filter((m) => m.role === "user");
    assert.equal(told.length, 2, "the model is told what was asked before");
  });

  test("responses: a stream, and what its helper puts together", async () => {
    const stream = client.responses.stream({ model: "default", input: "weather in Ulm" });
    let text = "";
    stream.on("response.output_text.delta", (event) => (text += event.delta));
    const whole = await stream.finalResponse();
    assert.equal(whole.output_text.replace(/\s+/g, " "), "Let me look. It has 21 degrees.");
    assert.equal(text.replace(/\s+/g, " "), "Let me look. It has 21 degrees.");
  });

  test("responses: a tool of the client", async () => {
    const tools = [{ type: "function", strict: false, ...paint }];
    const first = await client.responses.create({ model: "default", input: "weather and paint it red", tools });
    const calls = first.output.filter((item) => item.type === "function_call");
    assert.deepEqual(
      calls.map((c) => [c.name, c.arguments]),
      [["paint", '{"colour":"red"}']],
    );
    const input = [{ type: "function_call_output", call_id: calls[0].call_id, output: "painted red" }];
    const body = { model: "default", tools, input, previous_response_id: first.id };
    assert.equal((await client.responses.create(body)).output_text, "With 2 results: painted red.");
  });

  test("responses: errors", async () => {
    const body = { model: "default", input: "send a mail to ada" };
    await assert.rejects(client.responses.create(body), PermissionDeniedError);
    await assert.rejects(client.responses.create({ model: "other", input: "say hello" }), NotFoundError);
    const failed = [];
    const chunks = await client.responses.create({ model: "default", input: "fail in the middle", stream: true });
    for await (const event of chunks) if (event.type === "response.failed") failed.push(event.response.error.code);
    assert.equal(failed.length, 1);
    assert.deepEqual(server.model.done.mails, []);
  });
});
