import { describe, expect, it, vi } from "vitest";
import { stride } from "../../../long.js";
import { createPagesideClient } from "../src/index.js";
import type { ClientOptions, Clock, PagesideClient } from "../src/index.js";
import { call, calls, text } from "./events.js";
import { contents, refuse, type Script, type Seen, setUp, type TestServer } from "./server.js";
import { Random } from "./random.js";
import { randomRun } from "./random-run.js";
import { gate } from "./tabs.js";
import { whileTimePasses } from "./time.js";

/** What is left must be the same, but for random ids and times. */
function comparable(client: PagesideClient) {
  const { messages, toolCalls, status, connection, state, error, title, streamingMessageId } = client.getSnapshot();
  const calls = Object.values(toolCalls).map(({ startedAt: _, endedAt: __, ...call }) => call);
  const shown = messages.map((message) => (message.content === "go" ? { ...message, id: "question" } : message));
  return { messages: shown, calls, status, connection, state, error, title, streamingMessageId };
}

const replay = (seed: number): Script => {
  const { events } = randomRun(seed);
  return () => events.slice(1);
};

/** A run of which the first half has come; `go` lets the second one come. */
async function halfway(options?: ClientOptions) {
  const { server, client } = setUp(options);
  const go = server.inHalves(["a", "one"], ["b", "two"]);
  const sent = client.send("go");
  await vi.waitFor(() => expect(contents(client)).toEqual(["go", "one"]));
  return { server, client, go, sent };
}

/** There is no network. */
const fail = () => {
  throw new TypeError("Failed to fetch");
};

/** What a run leaves over a network that does this to it, and how many bytes it has. */
async function played(script: Script, network?: TestServer["network"], before?: TestServer["before"]) {
  const { server, client } = setUp();
  let length = 0;
  const whole = (bytes: Uint8Array) => ({ pieces: [bytes], cut: (length = bytes.length) < 0 });
  Object.assign(server.onRun(script), { network: network ?? whole, before });
  await client.send("go");
  expect(server.inputs).toHaveLength(1);
  return { length, left: comparable(client) };
}

describe("a run whose connection is cut", () => {
  it.each([
    [17, stride(13)],
    [42, stride(13) * 7],
  ])(
    "after any byte ends in the same state (run %i, one byte in %i)",
    async (seed, step) => {
      const script = replay(seed);
      const { length, left } = await played(script);
      expect(left.status).toBe("idle");
      expect(length).toBeGreaterThan(1000);
      for (let at = 0; at < length; at += step) {
        const random = new Random(at);
        const again = await played(script, (bytes, connection) =>
          connection === 0
            ? { pieces: [bytes.slice(0, at)], cut: at % 2 === 0 }
            : { pieces: random.cut(bytes), cut: false },
        );
        expect(again.left, `cut at ${at}`).toEqual(left);
      }
    },
    600_000, // thousands of bytes, on a machine that may be busy
  );

  it("again and again, anywhere, ends in the same state", async () => {
    for (let seed = 0; seed < 40; seed++) {
      const script = replay(seed);
      const random = new Random(seed);
      const broken = await played(script, (bytes) => {
        const isCut = random.chance(80);
        const end = isCut ? random.int(bytes.length) : bytes.length;
        return { pieces: random.cut(bytes.slice(0, end)), cut: isCut };
      });
      expect(broken.left, `seed ${seed}`).toEqual((await played(script)).left);
    }
  }, 300_000);

  it("and continued from too early skips what it has by its ids", async () => {
    for (let seed = 0; seed < 20; seed++) {
      const script = replay(seed);
      const random = new Random(seed);
      const tooEarly = (seen: Seen) => {
        const [, id, seq] = /^(.*:1\.)(\d+)$/.exec(seen.lastEventId ?? "") ?? [];
        if (id) seen.lastEventId = id + Math.max(0, Number(seq) - random.int(5));
        return undefined;
      };
      const network = (bytes: Uint8Array, connection: number) =>
        connection < 5
          ? { pieces: random.cut(bytes.slice(0, random.int(bytes.length))), cut: true }
          : { pieces: [bytes], cut: false };
      const again = await played(script, network, tooEarly);
      expect(again.left, `seed ${seed}`).toEqual((await played(script)).left);
    }
  }, 300_000);

  it("asks for what follows the last event it has", async () => {
    const { server, client, go, sent } = await halfway();
    expect(client.getSnapshot().connection).toBe("live");
    server.cut();
    await vi.waitFor(() => expect(server.seen).toHaveLength(2));
    const { runId } = server.inputs[0]!;
    expect(server.seen[1]).toMatchObject({
      method: "GET",
      path: `/v1/runs/${runId}/events`,
      lastEventId: `${runId}:1.4`,
    });
    expect(server.seen[1]!.query.get("protocolVersion")).toBe("1.0");
    go();
    await sent;
    expect(client.getSnapshot()).toMatchObject({ status: "idle", connection: "idle", error: undefined });
    expect(contents(client)).toEqual(["go", "one", "two"]);
  });

  it("takes a snapshot where the events are no longer kept", async () => {
    const { server, client } = setUp();
    const { opened, open } = gate();
    server.onRun(async function* (_, run) {
      yield { type: "REASONING_MESSAGE_START", messageId: "r", role: "reasoning" };
      yield { type: "REASONING_MESSAGE_CONTENT", messageId: "r", delta: "hm" };
      yield { type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" };
      yield { type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "so far" };
      await opened;
      yield { type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: ", so good" };
      yield { type: "TEXT_MESSAGE_END", messageId: "a" };
      yield { type: "REASONING_MESSAGE_END", messageId: "r" };
      run.isPurged = true;
    });
    const sent = client.send("go");
    await vi.waitFor(() => expect(client.getSnapshot().messages[2]?.content).toBe("so far"));
    server.before = ({ method }) => {
      if (method === "GET") server.before = undefined;
      open();
      return method === "GET" ? refuse(503, "draining") : undefined;
    };
    server.cut();
    await sent;
    expect(contents(client)).toEqual(["go", "hm", "so far, so good"]);
    expect(client.getSnapshot()).toMatchObject({ status: "idle", error: undefined });
  });

  it("is told as interrupted where the server knows nothing of it", async () => {
    const { server, client } = setUp();
    server.onRun(async function* () {
      yield* call("c1", "search", {});
      await new Promise(() => {});
    });
    const sent = client.send("go");
    await vi.waitFor(() => expect(client.getSnapshot().toolCalls["c1"]).toBeDefined());
    server.runs.clear();
    server.cut();
    await sent;
    expect(client.getSnapshot()).toMatchObject({ status: "error", error: { code: "interrupted", retryable: true } });
    expect(client.getSnapshot().toolCalls["c1"]!.status).toBe("failed");
  });

  it("does not run a tool twice", async () => {
    const handler = vi.fn(() => "ok");
    const { server, client } = setUp();
    client.registerTool({ name: "t", description: "", handler });
    server.onRun(calls(["c1", "t"])).onRun(() => text("a1", "ok"));
    let connection = 0;
    server.network = (bytes) => {
      const isCut = connection++ % 3 < 2;
      return { pieces: [isCut ? bytes.slice(0, (connection * 53) % bytes.length) : bytes], cut: isCut };
    };
    await client.send("go");
    expect(handler).toHaveBeenCalledOnce();
    expect(server.inputs).toHaveLength(2);
    expect(contents(client).at(-1)).toBe("ok");
  });
});

describe("a request that gets no answer", () => {
  it("is sent again, the same, with the same run id", async () => {
    const { server, client } = setUp();
    server.onRun(() => text("a", "Hi"));
    let failures = 3;
    server.before = () => (failures-- > 0 ? fail() : undefined);
    await client.send("go");
    expect(server.inputs).toHaveLength(1);
    expect(new Set(server.seen.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(contents(client).at(-1)).toBe("Hi");
  });

  it("follows the run that it began where only the answer was lost", async () => {
    const { server, client } = setUp();
    server.onRun(() => text("a", "Hi")).network = (bytes, connection) => ({
      pieces: connection === 0 ? [] : [bytes],
      cut: connection === 0,
    });
    await client.send("go");
    expect(server.seen.map(({ method }) => method)).toEqual(["POST", "POST"]);
    expect(server.inputs).toHaveLength(1);
    expect(contents(client)).toEqual(["go", "Hi"]);
  });

  it("waits as long as the server asks for", async () => {
    const slept: number[] = [];
    const clock = fakeClock(slept);
    const { server, client } = setUp({ reconnect: { clock, random: () => 0.5 } });
    const now = Date.parse("2026-01-02T03:04:05Z");
    const time = vi.spyOn(Date, "now").mockReturnValue(now);
    const answers = [
      refuse(429, "rate_limited", { "Retry-After": "7" }),
      refuse(503, "draining", { "Retry-After": new Date(now + 20_000).toUTCString() }),
      refuse(503, "draining"),
    ];
    server.onRun(() => text("a", "Hi")).before = () => answers.shift();
    await client.send("go");
    expect(contents(client).at(-1)).toBe("Hi");
    time.mockRestore();
    expect(slept.slice(0, 2)).toEqual([7000, 20_000]);
    expect(slept[2]).toBe(1000); // half of 500 ms, doubled twice
  });

  it("is not sent again where the server asks for more patience than there is, or says no", async () => {
    for (const refusal of [
      () => refuse(429, "rate_limited", { "Retry-After": "600" }),
      () => refuse(429, "rate_limited"),
      () => refuse(500, "internal"),
      () => refuse(401, "unauthenticated"),
    ]) {
      const { server, client } = setUp();
      server.before = refusal;
      await client.send("go");
      expect(server.seen).toHaveLength(1);
      expect(client.getSnapshot()).toMatchObject({ status: "error", error: { retryable: true } });
    }
  });

  it("says when it can be sent again, keeps the message, and sends it with one retry", async () => {
    const now = Date.parse("2026-01-02T03:04:05Z");
    vi.spyOn(Date, "now").mockReturnValue(now);
    const { server, client } = setUp();
    const answers = [refuse(429, "quota_exceeded", { "Retry-After": "75355" })];
    server.onRun(() => text("a", "Hi")).before = () => answers.shift();
    await client.send("go");
    expect(client.getSnapshot()).toMatchObject({
      status: "error",
      error: { code: "quota_exceeded", retryable: true, retryAt: Date.parse("2026-01-03T00:00:00Z") },
      messages: [{ content: "go" }],
    });
    await client.retry();
    expect(contents(client)).toEqual(["go", "Hi"]);
  });

  it("knows when a quota that ended a run is renewed", async () => {
    vi.spyOn(Date, "now").mockReturnValue(Date.parse("2026-01-02T03:04:05Z"));
    const { server, client } = setUp();
    server.onRun(async function* () {
      yield { type: "RUN_STARTED", threadId: "t", runId: "r" };
      yield { type: "RUN_ERROR", message: "used up", code: "quota_exceeded" };
    });
    await client.send("go");
    expect(client.getSnapshot().error).toMatchObject({ ofRun: true, retryAt: Date.parse("2026-01-03T00:00:00Z") });
  });

  it("is given up after a while, for good only where the server was never there", async () => {
    const slept: number[] = [];
    const { server, client } = setUp({ reconnect: { clock: fakeClock(slept), random: () => 0.99 } });
    server.before = fail;
    await client.send("go");
    const sum = (list: number[]) => list.reduce((a, b) => a + b, 0);
    expect(client.getSnapshot()).toMatchObject({ status: "error", connection: "offline", error: { code: "network" } });
    expect(sum(slept)).toBeCloseTo(5000, 5);

    server.before = undefined;
    server.onRun(() => text("a", "Hi"));
    await client.reconnect();
    expect(client.getSnapshot()).toMatchObject({ status: "idle", error: undefined });
    expect(new Set(server.seen.map(({ body }) => (body as { runId: string }).runId)).size).toBe(1);

    slept.length = 0;
    server.before = fail;
    await client.send("more");
    expect(sum(slept)).toBeCloseTo(120_000, 5);
    expect(Math.max(...slept)).toBeLessThanOrEqual(15_000);
  });
});

describe("a connection that is given up", () => {
  it.each(["reconnect", "retry"] as const)("says so, and %s goes on where it was, once it can", async (again) => {
    const patience = { clock: fakeClock([]), random: () => 0.9, giveUpAfter: 30_000 };
    const { server, client, go, sent } = await halfway({ reconnect: patience });
    const states = new Set<string>();
    client.subscribe(() => states.add(client.getSnapshot().connection));
    server.before = ({ path }) => (path.endsWith("/capabilities") ? undefined : fail());
    server.cut();
    await sent;
    expect(states).toContain("reconnecting");
    const error = { code: "connection_lost", retryable: true };
    expect(client.getSnapshot()).toMatchObject({ status: "error", connection: "offline", error });
    expect(contents(client)).toEqual(["go", "one"]);
    await client[again]();
    expect(client.getSnapshot()).toMatchObject({ status: "error", error });
    server.before = undefined;
    const done = client[again]();
    go();
    await done;
    expect(client.getSnapshot()).toMatchObject({ status: "idle", connection: "idle", error: undefined });
    expect(contents(client)).toEqual(["go", "one", "two"]);
    expect(server.inputs).toHaveLength(1);
  });
});

describe("a browser", () => {
  function stubNetwork() {
    const events = new EventTarget();
    const navigator = { onLine: true };
    vi.stubGlobal("navigator", navigator);
    vi.stubGlobal("addEventListener", events.addEventListener.bind(events));
    return {
      goOffline: () => (navigator.onLine = false),
      goOnline() {
        navigator.onLine = true;
        events.dispatchEvent(new Event("online"));
      },
    };
  }

  it("without a network waits for it, however long, and goes on at once when it comes back", async () => {
    const network = stubNetwork();
    const { server, client, go, sent } = await halfway({
      reconnect: { giveUpAfter: 1, maxDelay: 3_600_000, random: () => 0 },
    });
    network.goOffline();
    server.cut();
    await vi.waitFor(() => expect(client.getSnapshot().connection).toBe("offline"));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(server.seen).toHaveLength(1);
    go();
    network.goOnline();
    await sent;
    expect(contents(client)).toEqual(["go", "one", "two"]);
  });

  it("that is online again does not trust the connection it had", async () => {
    const network = stubNetwork();
    const { server, client, go, sent } = await halfway();
    network.goOnline();
    await vi.waitFor(() => expect(server.seen).toHaveLength(2));
    go();
    await sent;
    expect(client.getSnapshot().status).toBe("idle");
  });

  it("notices after a while that nothing comes any more, not even a comment", async () => {
    await import("../src/thread/ops.js"); // modules are loaded in real time
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] });
    const { server, client } = setUp();
    server.isMute = true;
    const go = server.inHalves(["a", "one"]);
    const sent = client.send("go");
    await vi.waitFor(() => expect(contents(client)).toContain("one"));
    await vi.advanceTimersByTimeAsync(40_000);
    expect(server.seen).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(server.seen).toHaveLength(2);
    go();
    await whileTimePasses(sent);
    vi.useRealTimers();
    expect(client.getSnapshot().status).toBe("idle");
  });
});

describe("a thread that is busy with a run of another tab", () => {
  it("shows that run, then sends the message", async () => {
    const { server, client } = setUp();
    const other = createPagesideClient({ url: "https://test", fetch: server.fetch, threadId: "t1" });
    server.onRun(() => text("a0", "first"));
    await other.send("zero");
    await client.openThread("t1");
    const go = server.inHalves(["a1", "for the other"]);
    const others = other.send("one");
    await vi.waitFor(() => expect(other.getSnapshot().messages.at(-1)!.content).toBe("for the other"));
    server.onRun(() => text("a2", "for us"));
    const ours = client.send("two");
    const shown = ["zero", "first", "one", "for the other", "two"];
    await vi.waitFor(() => expect(contents(client)).toEqual(shown));
    go();
    await Promise.all([ours, others]);
    expect(contents(client)).toEqual([...shown, "for us"]);
    expect(client.getSnapshot()).toMatchObject({ status: "idle", error: undefined });
  });
});

/** Time that passes at once. */
function fakeClock(slept: number[]): Clock {
  let now = 0;
  return {
    now: () => now,
    sleep: (milliseconds) => {
      slept.push(milliseconds);
      now += milliseconds;
      return Promise.resolve();
    },
  };
}
