import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPagesideClient, type ClientOptions, type PagesideClient } from "../src/index.js";
import { fromAgUiAgent } from "../src/agui.js";
import { call, finished, text } from "./events.js";
import { contents, TestServer } from "./server.js";
import { TestLocks, TestStorage } from "./tabs.js";

const threadOf = (client: PagesideClient) => client.getSnapshot().threadId;

describe("by default, a tab remembers its thread", () => {
  let server: TestServer;
  let tab: TestStorage;
  let clients: PagesideClient[];

  beforeEach(() => {
    server = new TestServer();
    clients = [];
    tab = new TestStorage();
    vi.stubGlobal("sessionStorage", tab);
    vi.stubGlobal("localStorage", new TestStorage());
  });

  afterEach(() => {
    reload();
  });

  /** A client; by default somebody looks at it. */
  function open(options: ClientOptions = {}, isSeen = true): PagesideClient {
    const client = createPagesideClient({ url: "https://test", fetch: server.fetch, ...options });
    clients.push(client);
    if (isSeen) client.subscribe(() => {});
    return client;
  }

  function reload(): void {
    for (const client of clients.splice(0)) client.destroy();
  }

  /** A client with a thread of its own. */
  async function asked(question: string, options?: ClientOptions): Promise<PagesideClient> {
    server.onRun(() => text(`answer to ${question}`, "yes"));
    const client = open(options);
    await client.send(question);
    return client;
  }

  it("over a reload", async () => {
    const threadId = threadOf(await asked("one"));
    reload();
    const after = open();
    expect(threadOf(after)).toBe(threadId);
    await vi.waitFor(() => expect(contents(after)).toEqual(["one", "yes"]));
  });

  it("for each server, agent and user", async () => {
    const identities = [
      {},
      { agent: "other" },
      { user: "ada" },
      { user: "bo" },
      { url: "https://other" },
    ] satisfies ClientOptions[];
    const threads = [];
    for (const identity of identities) threads.push(threadOf(await asked("one", identity)));
    expect(new Set(threads).size).toBe(identities.length);
    reload();
    // in another order, so that none finds its thread by chance
    expect(identities.toReversed().map((identity) => threadOf(open(identity)))).toEqual(threads.toReversed());
  });

  it("unless the page names one, or wants none remembered", async () => {
    const threadId = threadOf(await asked("one"));
    reload();
    expect(threadOf(open({ threadId: "named" }))).toBe("named");
    reload();
    expect(threadOf(open({ memory: "none" }))).not.toBe(threadId);
  });

  it("which is read at the first use, not while a server or React renders", async () => {
    const threadId = threadOf(await asked("one"));
    reload();
    const read = vi.spyOn(tab, "getItem");
    const client = open({}, false);
    expect(threadOf(client)).not.toBe(threadId);
    expect(read).not.toHaveBeenCalled();
    client.subscribe(() => {});
    expect(threadOf(client)).toBe(threadId);
  });

  it("and a message goes to it that is sent before anybody looks", async () => {
    const threadId = threadOf(await asked("one"));
    reload();
    server.onRun(() => text("a2", "again"));
    const client = open({}, false);
    await client.send("two");
    expect(server.inputs[1]!.threadId).toBe(threadId);
  });

  it("and begins another without a word if that is gone", async () => {
    const threadId = threadOf(await asked("one"));
    reload();
    server.threads.delete(threadId);
    const after = open();
    await vi.waitFor(() => expect(after.getSnapshot().loading).toBe(false));
    expect(after.getSnapshot()).toMatchObject({ status: "idle", messages: [] });
    expect(threadOf(after)).not.toBe(threadId);
    server.onRun(() => text("a2", "fresh"));
    await after.send("two");
    expect(contents(after)).toEqual(["two", "fresh"]);
    expect(server.inputs[1]!.threadId).toBe(threadOf(after));
  });

  it("while the id of a thread that the page names is kept", async () => {
    const client = open({ threadId: "named" });
    await vi.waitFor(() => expect(client.getSnapshot().loading).toBe(false));
    expect(threadOf(client)).toBe("named");
  });

  it("one for each of two assistants on a page", async () => {
    const threads = [threadOf(await asked("one")), threadOf(await asked("two"))];
    expect(threads[0]).not.toBe(threads[1]);
    reload();
    expect([threadOf(open()), threadOf(open())]).toEqual(threads);
  });

  it("that an assistant takes over which replaces another", async () => {
    const before = await asked("one");
    const threadId = threadOf(before);
    before.destroy();
    expect(threadOf(open())).toBe(threadId);
  });

  it("and a duplicate of the tab runs no tool a second time", async () => {
    vi.stubGlobal("navigator", { locks: new TestLocks() });
    const runs: string[] = [];
    const picking = (client: PagesideClient, name: string) =>
      client.registerTool({ name: "pick", description: "", handler: () => void runs.push(name) });
    let answer!: () => void;
    const isAsked = new Promise<void>((resolve) => (answer = resolve));
    server.onRun(async function* () {
      yield* text("m0", "let me see");
      await isAsked;
      yield* call("c1", "pick", { n: 1 }, "m1");
      yield finished({ type: "success", pendingToolCallIds: ["c1"] });
    });
    server.onRun(() => text("m2", "Done"));
    const original = open();
    picking(original, "original");
    void original.send("go");
    await vi.waitFor(() => expect(contents(original)).toContain("let me see"));

    const copy = new TestStorage();
    for (const [key, value] of tab.items) copy.setItem(key, value);
    const duplicate = open({ memory: copy });
    picking(duplicate, "duplicate");
    await vi.waitFor(() => expect(contents(duplicate)).toContain("let me see"));
    answer();
    await vi.waitFor(() => expect(contents(original)).toContain("Done"));
    expect(runs).toHaveLength(1);
    expect(server.inputs).toHaveLength(2);
  });

  it("also where the agent is no Pageside server", async () => {
    const answer = () =>
      [
        { type: "RUN_STARTED", threadId: "t", runId: "r" },
        ...text("a1", "hello"),
        { type: "RUN_FINISHED", threadId: "t", runId: "r" },
      ].map((event) => `data: ${JSON.stringify(event)}\n\n`);
    const fetch = () =>
      Promise.resolve(new Response(answer().join(""), { headers: { "Content-Type": "text/event-stream" } }));
    const connect = () => {
      const client = fromAgUiAgent({ url: "https://agent", fetch });
      clients.push(client);
      client.subscribe(() => {});
      return client;
    };
    await connect().send("hi");
    const second = connect();
    await second.send("beside it");
    reload();
    const [one, two] = [connect(), connect()];
    await vi.waitFor(() => expect(contents(one)).toEqual(["hi", "hello"]));
    await vi.waitFor(() => expect(contents(two)).toEqual(["beside it", "hello"]));
  });
});
