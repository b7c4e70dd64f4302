// What runs use and cost, and what the stream of a thread does not tell of them: after a reload,
// and beside other tabs.
import { expect, it, vi } from "vitest";
import type { AgUiEvent } from "../src/protocol/events.js";
import { createPagesideClient } from "../src/index.js";
import type { PagesideClient } from "../src/index.js";
import { text } from "./events.js";
import { json, type Script, TestServer } from "./server.js";
import { gate } from "./tabs.js";

const small = { provider: "openai", model: "small" };

/** A run that ends like this. */
const using = (end: object, id = crypto.randomUUID() as string): Script =>
  function* () {
    yield* text(id, "words");
    yield { type: "RUN_FINISHED", ...end } as AgUiEvent;
  };

/** A run that ends with what it used and cost. */
const spending = (id: string, inputTokens: number, cost?: number) =>
  using({ usage: [{ ...small, inputTokens }], ...(cost !== undefined && { metadata: { pageside: { cost } } }) }, id);

const clientOf = (server: TestServer, threadId?: string) =>
  createPagesideClient({ url: "https://test", fetch: server.fetch, threadId, reconnect: { random: () => 0 } });

const spent = (client: PagesideClient) => {
  const { usage, cost } = client.getSnapshot();
  return [usage?.map(({ inputTokens }) => inputTokens), cost];
};

it("adds up what the runs of the thread used, by model, also of those that failed, until the thread is left", async () => {
  const server = new TestServer();
  const client = clientOf(server);
  const large = { provider: "openai", model: "large" };
  expect(client.getSnapshot().usage).toBeUndefined();
  server
    .onRun(using({ usage: [{ ...small, inputTokens: 1000, cachedInputTokens: 800, outputTokens: 200 }] }))
    .onRun(
      using({
        usage: [
          { ...small, inputTokens: 234, outputTokens: 10 },
          { ...large, outputTokens: 5 },
        ],
      }),
    )
    .onRun(using({ type: "RUN_ERROR", message: "broke", usage: [{ ...large, inputTokens: 7 }] }))
    .onRun(() => text("a4", "says nothing of it"));
  for (const words of ["1", "2", "3"]) await client.send(words);
  const { usage } = client.getSnapshot();
  expect(usage).toEqual([
    { ...small, inputTokens: 1234, cachedInputTokens: 800, outputTokens: 210 },
    { ...large, inputTokens: 7, outputTokens: 5 },
  ]);
  await client.send("4");
  expect(client.getSnapshot().usage).toBe(usage);
  client.newThread();
  expect(client.getSnapshot().usage).toBeUndefined();
});

/** The server says of every thread what its runs used. */
function tell(server: TestServer, of: () => { usage?: unknown; cost?: number }) {
  server.before = ({ method, path }) =>
    method === "GET" && /^\/v1\/threads\/[^/]+$/.test(path) ? json({ id: "t", title: "T", ...of() }) : undefined;
}

it("a thread that is opened shows what all its runs used and cost, and goes on counting", async () => {
  const server = new TestServer();
  server
    .onRun(spending("a1", 100, 0.5))
    .onRun(spending("a2", 20, 0.25))
    .onRun(spending("a3", 3));
  const first = clientOf(server);
  await first.send("1");
  expect(spent(first)).toEqual([[100], 0.5]);

  tell(server, () => ({ usage: [{ ...small, inputTokens: 100 }], cost: 0.5 }));
  const second = clientOf(server);
  await second.openThread(first.getSnapshot().threadId);
  expect(spent(second)).toEqual([[100], 0.5]);
  await second.send("2");
  expect(spent(second)).toEqual([[120], 0.75]);
  await second.send("3"); // of which nobody knows the price
  expect(spent(second)).toEqual([[123], undefined]);
});

it("where the server does not say, or says something else, what was counted here stays", async () => {
  const server = new TestServer();
  server.onRun(spending("a1", 100, 0.5));
  const client = clientOf(server);
  await client.send("1");
  const { threadId } = client.getSnapshot();
  tell(server, () => ({ usage: "many" }));
  await client.openThread(threadId);
  expect(spent(client)).toEqual([undefined, undefined]);
});

it("a run that is live when the thread is opened is counted once", async () => {
  const server = new TestServer();
  const { opened, open } = gate();
  let isOver = false;
  server.onRun(async function* (...given) {
    await opened;
    isOver = true;
    yield* spending("a1", 100, 0.5)(...given) as Iterable<AgUiEvent>;
  });
  tell(server, () => (isOver ? { usage: [{ ...small, inputTokens: 100 }], cost: 0.5 } : {}));
  const first = clientOf(server);
  void first.send("1");
  await vi.waitFor(() => expect(server.runs.size).toBe(1));
  const second = clientOf(server);
  const loading = second.openThread(first.getSnapshot().threadId);
  await vi.waitFor(() => expect(second.getSnapshot().status).toBe("submitted"));
  const asked = () => server.requests.filter((request) => /^GET \/v1\/threads\/[^/]+$/.test(request)).length;
  const before = asked();
  open();
  await loading;
  await vi.waitFor(() => expect(asked()).toBeGreaterThan(before));
  await vi.waitFor(() => expect(spent(second)).toEqual([[100], 0.5]));
});

it("a tab that follows shows the branches and the cost of what another one began", async () => {
  const server = new TestServer();
  const [first, second] = [clientOf(server), clientOf(server)];
  server.onRun(() => text("a1", "one")).onRun(spending("a2", 20, 0.25));
  await first.send("1");
  await second.openThread(first.getSnapshot().threadId);
  second.follow();
  await vi.waitFor(() => expect(second.getSnapshot().connection).toBe("live"));

  tell(server, () => ({ usage: [{ ...small, inputTokens: 777 }], cost: 3 }));
  const question = first.getSnapshot().messages.find(({ role }) => role === "user")!;
  await first.edit(question.id, "1, please");
  await vi.waitFor(() => {
    const now = second.getSnapshot().messages.find(({ content }) => content === "1, please")!;
    expect(second.getSnapshot().branches?.[now.id]).toMatchObject([
      { preview: "1", current: false },
      { preview: "1, please", current: true },
    ]);
  });
  await vi.waitFor(() => expect(spent(second)).toEqual([[777], 3]));
});
