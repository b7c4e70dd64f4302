import { describe, expect, it, vi } from "vitest";
import { cutBy } from "../src/index.js";
import type { Message } from "../src/index.js";
import type { AgUiEvent } from "../src/protocol/events.js";
import { call, finished, text } from "./events.js";
import { contents, IMPATIENT, refuse, setUp } from "./server.js";
import { gate } from "./tabs.js";

/** A text that is cut off: like `text`, with another end. */
function* cut(id: string, words: string, own: object = { status: "cut", reason: "length" }): Iterable<AgUiEvent> {
  for (const event of text(id, words))
    yield event.type === "TEXT_MESSAGE_END" ? { ...event, metadata: { pageside: own } } : event;
}

/** A thread with an answer that was cut, and a client that has it open. */
async function begun() {
  const { server, client } = setUp(IMPATIENT);
  server.onRun(() => cut("a1", "half "));
  await client.send("1");
  return { server, client };
}

describe("a cut answer", () => {
  it("goes on in the same message, without a question", async () => {
    const { server, client } = await begun();
    const { opened, open } = gate();
    server.onRun(async function* () {
      const [start, ...rest] = cut("a1", "of it", {});
      yield start!;
      await opened;
      yield* rest;
    });
    const done = client.continueAnswer();
    await vi.waitFor(() =>
      expect(client.getSnapshot()).toMatchObject({ status: "streaming", streamingMessageId: "a1" }),
    );
    open();
    await done;
    expect(contents(client)).toEqual(["1", "half of it"]);
    expect(cutBy(client.getSnapshot().messages[1]!)).toBeUndefined();
    expect(server.inputs[1]).toMatchObject({ messages: [], forwardedProps: { pageside: { continues: "a1" } } });

    server.onRun(() => text("a2", "two"));
    await client.send("2");
    expect(server.inputs[2]!.messages.map(({ content }) => content)).toEqual(["2"]);
    expect(server.inputs[2]!.forwardedProps.pageside.continues).toBeUndefined();
  });

  it("is cut again, and goes on again", async () => {
    const { server, client } = await begun();
    for (const words of ["of ", "it "]) {
      server.onRun(() => cut("a1", words, { status: "cut", reason: "filter" }));
      await client.continueAnswer("a1");
    }
    expect(contents(client)).toEqual(["1", "half of it "]);
    expect(cutBy(client.getSnapshot().messages[1]!)).toBe("filter");
  });

  it("that is none does nothing", async () => {
    const { server, client } = await begun();
    await client.continueAnswer("nope");
    server.onRun(() => cut("a1", "of it", {}));
    await Promise.all([client.continueAnswer(), client.continueAnswer()]); // the second one comes too late
    expect(server.inputs).toHaveLength(2);
    expect(client.getSnapshot().status).toBe("idle");
  });

  it("that breaks off is tried again where it is then", async () => {
    const { server, client } = await begun();
    server.onRun(function* () {
      yield* text("a1", "of ");
      yield { type: "RUN_ERROR", message: "no", code: "llm_overloaded" } as AgUiEvent;
    });
    await client.continueAnswer();
    expect(client.getSnapshot()).toMatchObject({ status: "error", error: { code: "llm_overloaded" } });
    expect(contents(client)).toEqual(["1", "half of "]);
    server.onRun(() => cut("a1", "it", {}));
    await client.retry();
    expect(contents(client)).toEqual(["1", "half of it"]);
    expect(server.inputs[2]).toMatchObject({ messages: [], forwardedProps: { pageside: { continues: "a1" } } });
  });

  it("that the server does not take is tried again, and nothing else is sent with it", async () => {
    const { server, client } = await begun();
    server.before = ({ method }) => (method === "POST" ? refuse(500, "internal") : undefined);
    await client.continueAnswer();
    expect(client.getSnapshot().status).toBe("error");
    server.before = undefined;
    server.onRun(() => cut("a1", "of it", {}));
    await client.retry();
    expect(server.inputs.at(-1)).toMatchObject({ messages: [], forwardedProps: { pageside: { continues: "a1" } } });
    server.before = ({ method }) => (method === "POST" ? refuse(500, "internal") : undefined);
    await client.send("2");
    server.before = undefined;
    server.onRun(() => text("a2", "two"));
    await client.retry();
    expect(server.inputs.at(-1)!.forwardedProps.pageside.continues).toBeUndefined();
    expect(contents(client)).toEqual(["1", "half of it", "2", "two"]);
  });

  it("that is stopped stays cut", async () => {
    const { server, client } = await begun();
    server.onRun(async function* (_, run) {
      yield* [...text("a1", "of ")].slice(0, 2);
      await run.cancelled();
      yield { type: "TEXT_MESSAGE_END", messageId: "a1" } as AgUiEvent;
    });
    const done = client.continueAnswer();
    await vi.waitFor(() => expect(contents(client)).toEqual(["1", "half of "]));
    await client.stop();
    await done;
    expect(client.getSnapshot()).toMatchObject({ status: "idle", stoppedMessageIds: [] });
    expect(cutBy(client.getSnapshot().messages[1]!)).toBe("length");
  });

  it("may call tools of the page, whose results go on without it", async () => {
    const { server, client } = await begun();
    client.registerTool({ name: "look", description: "", handler: () => "seen" });
    server.onRun(function* () {
      yield* cut("a1", "of it", {});
      yield* call("c1", "look", {}, "m2");
      yield finished({ type: "success", pendingToolCallIds: ["c1"] });
    });
    server.onRun(() => text("a3", "done"));
    await client.continueAnswer();
    expect(server.inputs[2]).toMatchObject({ messages: [{ role: "tool", toolCallId: "c1" }] });
    expect(server.inputs[2]!.forwardedProps.pageside.continues).toBeUndefined();
    expect(contents(client).at(-1)).toBe("done");
  });
});

it("what cut an answer is on its text, or on the card it ends with", () => {
  const message = (role: string, pageside: object) => ({ id: "m", role, metadata: { pageside } }) as unknown as Message;
  expect(cutBy(message("assistant", { status: "cut", reason: "steps" }))).toBe("steps");
  expect(cutBy(message("assistant", { status: "failed", reason: "steps" }))).toBeUndefined();
  expect(cutBy(message("activity", { source: "llm", status: "accepted", reason: "length" }))).toBe("length");
  expect(cutBy(message("activity", { source: "tool", reason: "length" }))).toBeUndefined();
  expect(cutBy({ role: "assistant" })).toBeUndefined();
});
