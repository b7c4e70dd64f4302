import { describe, expect, it, vi } from "vitest";
import { stride } from "../../../long.js";
import { createPagesideClient } from "../src/index.js";
import type { ClientOptions, FrontendTool, PagesideClient } from "../src/index.js";
import { call, finished, text } from "./events.js";
import { contents, type Script, TestServer } from "./server.js";
import { gate, TestDocument, TestLocks, TestStorage } from "./tabs.js";

const pause = (ms = 20) => new Promise((resolve) => setTimeout(resolve, ms));

/** A run that calls the tool "pick" of the page. */
const picks: Script = function* () {
  yield* call("c1", "pick", { n: 1 }, "m1");
  yield finished({ type: "success", pendingToolCallIds: ["c1"] });
};

class Browser {
  readonly server = new TestServer();
  readonly storage = new TestStorage();

  /** A tab, or the same tab after a reload. */
  tab(handler?: FrontendTool["handler"], options: ClientOptions = {}): PagesideClient {
    const client = createPagesideClient({
      url: "https://test",
      fetch: this.server.fetch,
      memory: this.storage,
      reconnect: { random: () => 0 },
      ...options,
    });
    if (handler) client.registerTool({ name: "pick", description: "", handler });
    return client;
  }

  /** A tab whose thread is loaded. */
  async loaded(handler?: FrontendTool["handler"], options?: ClientOptions): Promise<PagesideClient> {
    const client = this.tab(handler, options);
    client.subscribe(() => {});
    await vi.waitFor(() => expect(client.getSnapshot().messages.length).toBeGreaterThan(0));
    return client;
  }
}

/** The messages of a tab end with this one, at last. */
const ends = (client: PagesideClient, words: string) => vi.waitFor(() => expect(contents(client).at(-1)).toBe(words));

/** The thread that a reload would open. */
function remembered(browser: Browser): string {
  const client = browser.tab();
  client.subscribe(() => {});
  return client.getSnapshot().threadId;
}

describe("after a reload", () => {
  it("the thread is there again, and its live run goes on", async () => {
    const browser = new Browser();
    browser.server.onRun(() => text("a0", "before"));
    const open = browser.server.inHalves(["a1", "first half"], ["a2", "second half"]);
    const before = browser.tab();
    await before.send("zero");
    void before.send("one");
    await ends(before, "first half");
    const { threadId } = before.getSnapshot();
    before.destroy();

    const after = await browser.loaded();
    await vi.waitFor(() => expect(contents(after)).toEqual(["zero", "before", "one", "first half"]));
    expect(after.getSnapshot()).toMatchObject({ threadId, status: "streaming", connection: "live", loading: false });
    open();
    await vi.waitFor(() => expect(after.getSnapshot().status).toBe("idle"));
    expect(contents(after)).toEqual(["zero", "before", "one", "first half", "second half"]);
    expect(browser.server.inputs).toHaveLength(2);
  });

  it.each(["at once", "later"])("a run that was begun here calls its tool, which is on the page %s", async (when) => {
    const browser = new Browser();
    const { opened, open } = gate();
    browser.server.onRun(async function* (input, run) {
      yield* text("a0", "let me see");
      await opened;
      yield* picks(input, run) as Iterable<never>;
    });
    browser.server.onRun(() => text("a1", "Done"));
    const before = browser.tab(() => "no");
    void before.send("go");
    await ends(before, "let me see");
    before.destroy();

    const handler = vi.fn(() => "picked");
    const after = await browser.loaded(when === "at once" ? handler : undefined);
    open();
    if (when === "later") {
      await vi.waitFor(() => expect(after.getSnapshot().status).toBe("idle"));
      expect(browser.server.inputs).toHaveLength(1);
      after.registerTool({ name: "pick", description: "", handler });
      await after.resumePending();
    }
    await ends(after, "Done");
    expect(handler).toHaveBeenCalledOnce();
    expect(browser.server.inputs[1]!.messages).toMatchObject([{ role: "tool", toolCallId: "c1", content: '"picked"' }]);
  });

  it("in the middle of a tool the call is shown as cancelled, and not run again by itself", async () => {
    const browser = new Browser();
    browser.server.onRun(picks).onRun(() => text("a1", "Done"));
    const first = vi.fn(() => new Promise(() => {}));
    const before = browser.tab(first);
    void before.send("go");
    await vi.waitFor(() => expect(first).toHaveBeenCalled());
    before.destroy();

    const second = vi.fn(() => "picked");
    const after = await browser.loaded(second);
    await vi.waitFor(() => expect(after.getSnapshot().toolCalls["c1"]?.attempted).toBe(true));
    await vi.waitFor(() => expect(after.getSnapshot().status).toBe("idle"));
    expect(after.getSnapshot()).toMatchObject({
      toolCalls: { c1: { status: "cancelled", frontend: true, args: { n: 1 } } },
    });
    await after.resumePending();
    expect(second).not.toHaveBeenCalled();
    await after.resumePending({ again: true });
    expect(second).toHaveBeenCalledOnce();
    expect(after.getSnapshot().toolCalls["c1"]).toMatchObject({ status: "complete", attempted: false });
    expect(contents(after).at(-1)).toBe("Done");
  });

  it("in the middle of a tool the next message says that its effect is unknown", async () => {
    const browser = new Browser();
    browser.server.onRun(picks).onRun(() => text("a1", "Done"));
    const first = vi.fn(() => new Promise(() => {}));
    const before = browser.tab(first);
    void before.send("go");
    await vi.waitFor(() => expect(first).toHaveBeenCalled());
    before.destroy();

    const after = await browser.loaded(() => "no");
    await after.send("Well?");
    const content = expect.stringContaining("whether it had its effect is unknown") as string;
    expect(browser.server.inputs[1]!.messages).toMatchObject([{ toolCallId: "c1", content }, { content: "Well?" }]);
    expect(after.getSnapshot().toolCalls["c1"]).toMatchObject({ status: "cancelled" });
  });

  it.each([
    ["what waits is resumed", (client: PagesideClient) => client.resumePending()],
    ["the user writes", (client: PagesideClient) => client.send("Well?")],
  ])("a result that was not sent is sent with its sources when %s, and its tool not run again", async (_, goOn) => {
    const browser = new Browser();
    browser.server.onRun(picks).onRun(() => text("a1", "Done"));
    const sources = [{ title: "The bill", url: "#bill-1" }];
    const first = vi.fn<NonNullable<FrontendTool["handler"]>>((_, { cite }) => {
      cite(sources);
      return "paid";
    });
    const before = browser.tab(first);
    let posts = 0;
    browser.server.before = ({ method }) => {
      if (method === "POST" && ++posts > 1) throw new TypeError("Failed to fetch");
      return undefined;
    };
    void before.send("go");
    await vi.waitFor(() => expect(posts).toBeGreaterThan(1));
    before.destroy();
    browser.server.before = undefined;

    const second = vi.fn(() => "again");
    const after = await browser.loaded(second);
    await vi.waitFor(() => expect(after.getSnapshot().loading).toBe(false));
    expect(after.getSnapshot().toolCalls["c1"]!.status).toBe("pending");
    await goOn(after);
    expect([first, second].map((mock) => mock.mock.calls.length)).toEqual([1, 0]);
    const sent = { role: "tool", content: '"paid"', metadata: { pageside: { sources } } };
    expect(browser.server.inputs[1]!.messages[0]).toMatchObject(sent);
    expect(after.getSnapshot().toolCalls["c1"]).toMatchObject({ status: "complete", result: "paid" });
    expect(contents(after).at(-1)).toBe("Done");
  });

  it("a new thread is a new thread, and one that was opened is opened", async () => {
    const browser = new Browser();
    browser.server.onRun(() => text("a0", "one")).onRun(() => text("a1", "two"));
    const before = browser.tab();
    await before.send("1");
    const first = before.getSnapshot().threadId;
    before.newThread();
    expect(remembered(browser)).not.toBe(first);
    await before.send("2");
    expect(remembered(browser)).toBe(before.getSnapshot().threadId);
    await before.openThread(first);
    expect(remembered(browser)).toBe(first);
  });

  it("nothing is remembered where storage fails, and everything works", async () => {
    const browser = new Browser();
    const fail = () => {
      throw new Error("denied");
    };
    const client = browser.tab(() => "picked", { memory: { getItem: fail, setItem: fail, removeItem: fail } });
    browser.server.onRun(picks).onRun(() => text("a1", "Done"));
    await client.send("go");
    expect(contents(client).at(-1)).toBe("Done");
  });

  it("loading that is cut at any byte loads the same", async () => {
    const browser = new Browser();
    const { opened, open } = gate();
    browser.server.onRun(picks).onRun(async function* () {
      yield* text("a1", "half");
      await opened;
      yield* text("a2", "whole");
    });
    const before = browser.tab(() => "ok");
    const sent = before.send("go");
    await ends(before, "half");
    const { threadId } = before.getSnapshot();
    const load = async (at: number) => {
      let length = 0;
      let isFirst = true;
      browser.server.network = (bytes) => {
        const isCut = isFirst;
        isFirst = false;
        length = Math.max(length, bytes.length);
        return { pieces: [isCut ? bytes.slice(0, at) : bytes], cut: isCut };
      };
      const client = browser.tab(undefined, { memory: undefined });
      await client.openThread(threadId);
      const { messages, status, toolCalls } = client.getSnapshot();
      return { messages, status, calls: Object.values(toolCalls).map(({ id, status }) => [id, status]), length };
    };
    // A live run is delivered whole here: its end is known.
    open();
    await sent;
    const whole = await load(0);
    expect(whole.messages.map(({ content }) => content)).toEqual(["go", undefined, '"ok"', "half", "whole"]);
    for (let at = 1; at < whole.length; at += stride(7))
      expect(await load(at), `cut at ${at}`).toMatchObject({ ...whole, length: expect.anything() as number });
  }, 300_000);
});

describe("a second tab", () => {
  async function twoTabs(...handlers: FrontendTool["handler"][]) {
    const browser = new Browser();
    browser.server.onRun(() => text("a0", "zero"));
    const first = browser.tab(handlers[0]);
    await first.send("0");
    const second = await browser.loaded(handlers[1] ?? handlers[0]);
    await vi.waitFor(() => expect(second.getSnapshot().loading).toBe(false));
    second.follow();
    await vi.waitFor(() => expect(second.getSnapshot().connection).toBe("live"));
    return { browser, server: browser.server, first, second };
  }

  it("that follows shows every run of the first, as it happens", async () => {
    const { server, first, second } = await twoTabs();
    const open = server.inHalves(["a1", "half"], ["a2", "whole"]);
    server.onRun(() => text("a3", "more"));
    const sent = first.send("1");
    await vi.waitFor(() => expect(contents(second)).toEqual(["0", "zero", "1", "half"]));
    expect(second.getSnapshot().status).toBe("streaming");
    open();
    await sent;
    await first.send("2");
    await vi.waitFor(() => expect(contents(second)).toEqual(contents(first)));
    expect(contents(second)).toEqual(["0", "zero", "1", "half", "whole", "2", "more"]);
    await vi.waitFor(() => expect(second.getSnapshot()).toMatchObject({ status: "idle", connection: "live" }));
  });

  it("does not run the tools of the first", async () => {
    const [mine, theirs] = [vi.fn(async () => (await pause(), "picked")), vi.fn(() => "no")];
    const { server, first, second } = await twoTabs(mine, theirs);
    server.onRun(picks).onRun(() => text("a1", "Done"));
    await first.send("go");
    await vi.waitFor(() => expect(contents(second)).toEqual(contents(first)));
    expect(contents(second).at(-1)).toBe("Done");
    expect([mine.mock.calls.length, theirs.mock.calls.length]).toEqual([1, 0]);
    expect(second.getSnapshot().toolCalls["c1"]).toMatchObject({ status: "complete", result: "picked" });
  });

  it("that asks for a call that runs in the first is not given it", async () => {
    const locks = new TestLocks();
    vi.stubGlobal("navigator", { locks, onLine: true });
    const { opened, open } = gate();
    const theirs = vi.fn(() => "no");
    const mine = vi.fn(async () => (await opened, "picked"));
    const { browser, server, first, second } = await twoTabs(mine, theirs);
    server.onRun(picks).onRun(() => text("a1", "Done"));
    const sent = first.send("go");
    await vi.waitFor(() => expect(second.getSnapshot().toolCalls["c1"]?.status).toBe("pending"));
    await vi.waitFor(() => expect(mine).toHaveBeenCalled());
    expect([...locks.held]).toEqual(["pageside:call:c1"]);
    await second.openThread(first.getSnapshot().threadId);
    expect(second.getSnapshot().toolCalls["c1"]).toMatchObject({ status: "pending", attempted: true });
    browser.storage.items.clear(); // the lock alone must do
    await second.resumePending();
    expect(theirs).not.toHaveBeenCalled();
    expect(second.getSnapshot().status).toBe("idle");
    open();
    await sent;
    await ends(second, "Done");
    expect(locks.held.size).toBe(0);
    expect(server.inputs).toHaveLength(3);
  });

  it("keeps a message for the end of the run of the first, and can stop that", async () => {
    const { server, first, second } = await twoTabs();
    server.onRun(async function* (_, run) {
      yield* text("a1", "on and on");
      await run.cancelled();
    });
    server.onRun(() => text("a2", "to the second"));
    const others = first.send("1");
    await ends(second, "on and on");
    const sent = second.send("2");
    expect(second.getSnapshot().queue).toMatchObject([{ text: "2" }]);
    await second.stop();
    await others;
    expect(first.getSnapshot().stoppedMessageIds).toEqual(["a1"]);
    await vi.waitFor(() => expect(second.getSnapshot().status).toBe("idle"));
    expect(second.getSnapshot()).toMatchObject({ queue: [{ text: "2" }], queueHeld: true });
    await second.sendQueue();
    await sent;
    expect(contents(second)).toEqual(["0", "zero", "1", "on and on", "2", "to the second"]);
    await vi.waitFor(() => expect(second.getSnapshot().connection).toBe("live"));
  });

  it("follows only while it can be seen, and then catches up, also with the rest of a run", async () => {
    const document = new TestDocument();
    vi.stubGlobal("document", document);
    const { server, first, second } = await twoTabs();
    document.show("hidden");
    await vi.waitFor(() => expect(second.getSnapshot().connection).toBe("idle"));
    await vi.waitFor(() => expect(server.open).toBe(0));
    server.onRun(() => text("a1", "one"));
    const open = server.inHalves(["a2", "half"], ["a3", "whole"]);
    await first.send("1");
    expect(contents(second)).toEqual(["0", "zero"]);
    const sent = first.send("2");
    document.show("visible");
    await ends(second, "half");
    document.show("hidden");
    open();
    await sent;
    document.show("visible");
    await vi.waitFor(() => expect(contents(second)).toEqual(["0", "zero", "1", "one", "2", "half", "whole"]));
    expect(second.getSnapshot().status).toBe("idle");
  });

  it("reconnects, and leaves when it is told to", async () => {
    const { server, first, second } = await twoTabs();
    server.cut();
    server.onRun(() => text("a1", "one"));
    await first.send("1");
    await vi.waitFor(() => expect(contents(second)).toEqual(contents(first)));
    second.destroy();
    await vi.waitFor(() => expect(server.open).toBe(0));
  });

  it("follows until the last one who asked for it is gone, in every thread it opens", async () => {
    const { server, first, second } = await twoTabs();
    const leave = second.follow();
    leave();
    server.onRun(() => text("a1", "elsewhere"));
    first.newThread();
    await first.send("1");
    await second.openThread(first.getSnapshot().threadId);
    await vi.waitFor(() => expect(second.getSnapshot().connection).toBe("live"));
    server.onRun(() => text("a2", "one"));
    await first.send("2");
    await vi.waitFor(() => expect(contents(second)).toEqual(["1", "elsewhere", "2", "one"]));
  });
});
