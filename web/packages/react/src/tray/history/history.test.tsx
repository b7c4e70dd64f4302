import type { PagesideClient, ThreadQuery, ThreadSummary } from "@pageside/core";
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { user } from "../../../dev/fakeClient.js";
import { offerUndoWithoutEnd } from "../../../dev/undo.js";
import { exactFirst, groupByAge, shortDate, withoutMarks } from "./groups.js";
import { marked } from "./ThreadRow.js";
import { answerMedia, button, showTray } from "../../../test/harness.js";

const byPin = (a: { pinned: boolean }, b: { pinned: boolean }) => Number(b.pinned) - Number(a.pinned);

/** Threads in memory, as a server keeps them. */
function threadsOf(titles: readonly string[], snippet?: string) {
  const threads = titles.map((title, index) => {
    const at = new Date(Date.now() - index * 60_000).toISOString();
    const flags = { archived: false, pinned: false, deleted: false };
    return { snippet, id: `t${index}`, title, createdAt: at, updatedAt: at, ...flags };
  });
  const calls: [name: string, ...args: unknown[]][] = [];
  const failing = new Set<string>();
  const call = async (name: string, ...args: unknown[]) => {
    calls.push([name, ...args]);
    if (failing.has(name)) throw new Error("refused");
  };
  const change = async (
    change: Partial<(typeof threads)[number]>,
    ...called: [name: string, id: string, to?: unknown]
  ) => {
    await call(...called);
    Object.assign(
      threads.find(({ id }) => id === called[1])!,
      change,
    );
  };
  const api: PagesideClient["threads"] = {
    allowances: () => Promise.resolve([]),
    revoke: () => Promise.resolve(),
    list: async (query: ThreadQuery = {}) => {
      await call("list", query);
      const found = threads
        .toSorted(byPin)
        .filter(
          ({ title, archived, deleted }) =>
            deleted === !!query.deleted &&
            (query.deleted || archived === !!query.archived) &&
            title.toLowerCase().includes((query.q ?? "").toLowerCase()),
        );
      const from = Number(query.cursor ?? 0);
      const to = from + (query.limit ?? 50);
      return { threads: found.slice(from, to), next: to < found.length ? String(to) : undefined };
    },
    rename: (id, title) => change({ title }, "rename", id, title),
    archive: (id, archived = true) => change({ archived }, "archive", id, archived),
    pin: (id, pinned = true) => change({ pinned }, "pin", id, pinned),
    delete: (id) => change({ deleted: true }, "delete", id),
    restore: (id) => change({ deleted: false }, "restore", id),
  };
  return { api, failing, called: (name: string) => calls.filter(([each]) => each === name) };
}

/** The tray in a thread of a server that has these. */
function show(titles: readonly string[], { snippet, ...drawn }: { snippet?: string; layout?: "full" } = {}) {
  const { api, ...server } = threadsOf(titles, snippet);
  const shown = showTray({ threadId: "t0", title: titles[0], messages: [user("q")] }, { ...drawn, threads: api });
  return { ...shown, ...server };
}

async function open(titles: readonly string[] = ["Late orders", "Top pages", "Errors by hour"], snippet?: string) {
  const shown = show(titles, { snippet });
  await shown.keys.click(button("History"));
  await waitFor(() => expect(titles.length === 0 || rows().length > 0).toBe(true));
  await screen.findByRole("searchbox");
  return shown;
}

const drawer = () => screen.getByRole("dialog", { name: "History" });
const rows = () => [...document.querySelectorAll<HTMLElement>("[data-thread]")];
const names = () => rows().map(({ textContent }) => textContent);
const row = (name: string) => rows().find(({ textContent }) => textContent === name)!;

/** Opens the menu of a row, and chooses in it. */
async function pick(keys: ReturnType<typeof show>["keys"], name: string, choice: string) {
  await keys.click(await screen.findByRole("button", { name: `More: ${name}` }));
  await keys.click(screen.getByRole("menuitem", { name: choice }));
}

describe("beside the conversation, where the tray fills a wide window", () => {
  function fill(width: number) {
    answerMedia((query) => width >= Number(/min-width: (\d+)/.exec(query)?.[1] ?? Infinity));
    return show(["Late orders", "Top pages"], { layout: "full" });
  }

  it("opens threads, takes no focus by itself, and gets it by its keys", async () => {
    const { client, keys } = fill(1400);
    await waitFor(() => expect(names()).toHaveLength(2));
    expect(screen.getByRole("navigation", { name: "History" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "History" })).toBeNull();
    const box = screen.getByRole("textbox", { name: "Message" });
    act(() => box.focus());
    await keys.keyboard("{Control>}{Shift>}h{/Shift}{/Control}");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("searchbox")));
    expect(screen.queryByRole("dialog", { name: "History" })).toBeNull();
    await keys.click(row("Top pages"));
    expect(client.calls).toContainEqual(["openThread", "t1"]);
    await waitFor(() => expect(document.activeElement).toBe(box));
    expect(rows()).toHaveLength(2);
  });

  it("is read again when a conversation begins, is named or answered", async () => {
    const { client, called } = fill(1400);
    await waitFor(() => expect(names()).toHaveLength(2));
    const before = called("list").length;
    act(() => client.show({ title: "Late orders of March" }));
    await waitFor(() => expect(called("list").length).toBe(before + 1));
  });

  it("is behind a button where there is no room", async () => {
    fill(1000);
    expect(await screen.findByRole("button", { name: "History" })).toBeTruthy();
    expect(screen.queryByRole("navigation", { name: "History" })).toBeNull();
  });
});

describe("the list", () => {
  it("is gone through by keys, and opens what has the focus", async () => {
    const { client, keys } = await open();
    const search = screen.getByRole("searchbox");
    expect(document.activeElement).toBe(search);
    await keys.keyboard("{ArrowDown}{ArrowDown}{ArrowDown}{ArrowDown}");
    expect(document.activeElement).toBe(row("Errors by hour"));
    await keys.keyboard("{Home}{ArrowUp}");
    expect(document.activeElement).toBe(search);
    await keys.keyboard("{ArrowDown}{End}{ArrowUp}{Enter}");
    expect(client.calls).toContainEqual(["openThread", "t1"]);
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Message" }));
  });

  it("keeps Tab inside and gives the focus back to its button", async () => {
    const { keys } = await open();
    for (let count = 0; count < 20; count++) {
      await keys.tab();
      expect(drawer().contains(document.activeElement)).toBe(true);
    }
    await keys.keyboard("{Escape}");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(document.activeElement).toBe(button("History"));
  });

  it("comes page by page", async () => {
    const { keys, called } = await open(Array.from({ length: 70 }, (_, index) => `Thread ${index}`));
    expect(rows()).toHaveLength(30);
    await keys.click(button("Show more"));
    await waitFor(() => expect(rows()).toHaveLength(60));
    await keys.click(button("Show more"));
    await waitFor(() => expect(rows()).toHaveLength(70));
    expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
    expect(called("list").map(([, query]) => (query as ThreadQuery).cursor)).toEqual([undefined, "30", "60"]);
  });

  it("says what went wrong and tries again", async () => {
    const { keys, failing } = await open();
    failing.add("list");
    await keys.click(button("Archived"));
    expect((await screen.findByRole("alert")).textContent).toContain("could not be loaded");
    failing.clear();
    await keys.click(button("Retry"));
    await screen.findByText("Nothing is archived.");
  });

  it("shows which conversation is being answered", async () => {
    const { client } = await open();
    act(() => client.show({ status: "streaming" }));
    expect(row("Late orders, being answered")).toBeTruthy();
    expect(row("Late orders, being answered").getAttribute("aria-current")).toBe("true");
  });
});

describe("searching", () => {
  it("asks the server once the user stops typing, and tells the number", async () => {
    const { keys, called } = await open();
    await keys.type(screen.getByRole("searchbox"), "err");
    await waitFor(() => expect(names()).toEqual(["Errors by hour"]));
    expect(called("list").map(([, query]) => (query as ThreadQuery).q)).toEqual([undefined, "err"]);
    expect(within(drawer()).getByRole("status").textContent).toBe("1 conversation");
    expect(document.querySelector("mark")?.textContent).toBe("Err");
    await keys.type(screen.getByRole("searchbox"), "zz");
    await screen.findByText("Nothing found for “errzz”.");
  });

  it("has the conversation first that is called so, and shows what was found without marks of Markdown", async () => {
    const { keys } = await open(["Say hello", "hello again", "Hello"], "I am a **scripted model**, `hello`");
    await keys.type(screen.getByRole("searchbox"), "hello");
    const shown = (selector: string) => rows().map((row) => row.querySelector(selector)?.textContent);
    await waitFor(() => expect(shown(".ps-thread-title")).toEqual(["Hello", "Say hello", "hello again"]));
    expect(new Set(shown(".ps-thread-snippet"))).toEqual(new Set(["I am a scripted model, hello"]));
  });

  it("marks beginnings of words, whatever they contain", () => {
    const html = (text: string, query: string) => {
      const { container, unmount } = render(<p>{marked(text, query)}</p>);
      const { innerHTML } = container.querySelector("p")!;
      unmount();
      return innerHTML;
    };
    expect(html("The page and homepage", "page")).toBe("The <mark>page</mark> and homepage");
    expect(html("<img src=x> [a](b) Zażółć", "img zaż (a")).toBe(
      "&lt;<mark>img</mark> src=x&gt; [<mark>a</mark>](b) <mark>Zaż</mark>ółć",
    );
    expect(html("nothing", "...")).toBe("nothing");
  });
});

describe("changing", () => {
  it("renames in place by F2 and by double-click, and brings the focus back", async () => {
    const { keys, called } = await open();
    await keys.keyboard("{ArrowDown}{ArrowDown}{F2}");
    const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Name of the conversation" });
    expect([document.activeElement, field.value]).toEqual([field, "Top pages"]);
    await keys.keyboard("Best pages{Enter}");
    await waitFor(() => expect(document.activeElement).toBe(row("Best pages")));

    await keys.dblClick(row("Errors by hour"));
    await keys.keyboard("Not this{Escape}");
    await waitFor(() => expect(document.activeElement).toBe(row("Errors by hour")));
    expect(called("rename")).toEqual([["rename", "t1", "Best pages"]]);
    expect(drawer()).toBeTruthy();
  });

  it("keeps the field where the server refuses", async () => {
    const { keys, failing } = await open();
    failing.add("rename");
    await keys.keyboard("{ArrowDown}{F2}New name{Enter}");
    expect((await screen.findByRole("alert")).textContent).toBe("That could not be saved.");
    expect(screen.getByRole("textbox", { name: "Name of the conversation" })).toBeTruthy();
  });

  it("deletes with a key, and brings back after the panel is closed", async () => {
    offerUndoWithoutEnd();
    const { keys, called } = await open();
    await keys.keyboard("{ArrowDown}{ArrowDown}{Delete}");
    expect(names()).toEqual(["Late orders", "Errors by hour"]);
    expect(document.activeElement).toBe(row("Errors by hour"));
    await screen.findByText("“Top pages” deleted");
    await keys.keyboard("{Escape}");
    await keys.click(button("Undo"));
    expect(called("restore")).toEqual([["restore", "t1"]]);
    await keys.click(button("History"));
    await waitFor(() => expect(names()).toEqual(["Late orders", "Top pages", "Errors by hour"]));
  });

  it("brings back into the open list, with the focus in it", async () => {
    offerUndoWithoutEnd();
    const { keys } = await open();
    await keys.keyboard("{ArrowDown}{ArrowDown}{Delete}");
    await keys.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(names()).toEqual(["Late orders", "Top pages", "Errors by hour"]));
    expect(drawer().contains(document.activeElement)).toBe(true);
  });

  it("offers to undo for ten seconds", async () => {
    const { keys } = await open();
    await keys.keyboard("{ArrowDown}{ArrowDown}");
    vi.useFakeTimers();
    fireEvent.keyDown(document.activeElement!, { key: "Delete" });
    await act(() => vi.advanceTimersByTimeAsync(0));
    await act(() => vi.advanceTimersByTimeAsync(9900));
    expect(button("Undo")).toBeTruthy();
    await act(() => vi.advanceTimersByTimeAsync(200));
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
  });

  it("leaves the open conversation when it is deleted, and goes back to it when that is undone", async () => {
    offerUndoWithoutEnd();
    const { keys, client } = await open();
    Object.assign(client, { newThread: () => client.show({ threadId: "new", messages: [], title: undefined }) });
    await keys.keyboard("{ArrowDown}{Delete}");
    await screen.findByText("“Late orders” deleted");
    expect(client.getSnapshot().threadId).toBe("new");
    await keys.click(button("Undo"));
    await waitFor(() => expect(client.calls).toContainEqual(["openThread", "t0"]));
  });

  it("has the focus on the next one when the open conversation is deleted", async () => {
    const { keys } = await open();
    await keys.keyboard("{ArrowDown}{Delete}");
    await screen.findByText("“Late orders” deleted");
    expect(document.activeElement).toBe(button(/^Top pages/));
  });

  it("pins by a button and by a key, with the focus on the row, and undoes it", async () => {
    offerUndoWithoutEnd();
    const { keys, called } = await open();
    await pick(keys, "Errors by hour", "Pin");
    expect(names()).toEqual(["Errors by hour", "Late orders", "Top pages"]);
    expect(document.activeElement).toBe(row("Errors by hour"));
    expect(within(screen.getByRole("region", { name: "Pinned" })).getAllByRole("listitem")).toHaveLength(1);
    await screen.findByText("“Errors by hour” pinned");
    const marks = rows().map((each) => each.querySelectorAll("svg").length);
    expect(marks).toEqual([1, 0, 0]);

    await keys.keyboard("{ArrowDown}{ArrowDown}{Control>}p{/Control}P");
    expect(names()).toEqual(["Top pages", "Errors by hour", "Late orders"]);
    expect(document.activeElement).toBe(row("Top pages"));
    await screen.findByText("“Top pages” pinned");
    await keys.keyboard("p");
    expect(names()).toEqual(["Errors by hour", "Late orders", "Top pages"]);
    await screen.findByText("“Top pages” unpinned");
    await keys.click(button("Undo"));
    await waitFor(() => expect(names()).toEqual(["Top pages", "Errors by hour", "Late orders"]));
    expect(called("pin").map(([, ...args]) => args)).toEqual([
      ["t2", true],
      ["t1", true],
      ["t1", false],
      ["t1", true],
    ]);
  });

  it.each([
    ["delete", "{Delete}"],
    ["pin", "p"],
  ])("shows again what the server has where it refuses to %s", async (name, key) => {
    const { keys, failing } = await open();
    failing.add(name);
    await keys.keyboard(`{ArrowDown}{ArrowDown}${key}`);
    await screen.findByText("That could not be saved.");
    await waitFor(() => expect(names()).toEqual(["Late orders", "Top pages", "Errors by hour"]));
  });

  it("has one menu open, whose letters are not the row's keys, and which Escape closes alone", async () => {
    const { keys, called } = await open();
    const menus = () => screen.queryAllByRole("menu").map((each) => each.getAttribute("aria-label"));
    await keys.click(button("More: Top pages"));
    await keys.click(button("More: Errors by hour"));
    expect(menus()).toEqual(["Errors by hour"]);
    await keys.keyboard("p{Delete}");
    expect(document.activeElement?.textContent).toBe("Pin");
    await keys.keyboard("{Escape}");
    expect(menus()).toEqual([]);
    expect(document.activeElement).toBe(button("More: Errors by hour"));
    expect([...called("pin"), ...called("delete")]).toEqual([]);
  });

  it("archives, and restores from the archive and from what was deleted", async () => {
    const { keys, called } = await open();
    await pick(keys, "Top pages", "Archive");
    await pick(keys, "Errors by hour", "Delete conversation");
    expect(names()).toEqual(["Late orders"]);
    await keys.click(button("Archived"));
    await pick(keys, "Top pages", "Move back from the archive");
    await keys.click(button("Deleted"));
    await keys.click(await screen.findByRole("button", { name: "Restore: Errors by hour" }));
    await keys.click(button("Conversations"));
    await waitFor(() => expect(names()).toHaveLength(3));
    expect(called("archive")).toEqual([
      ["archive", "t1", true],
      ["archive", "t1", false],
    ]);
  });
});

it("groups by the days of the user's calendar", () => {
  const now = new Date(2026, 2, 1, 9, 0);
  const at = (...date: [number, number, number, number]) => new Date(...date).toISOString();
  const dates = [
    at(2026, 2, 1, 0),
    at(2026, 1, 28, 23),
    at(2026, 1, 27, 12),
    at(2026, 1, 22, 0),
    at(2026, 1, 21, 23),
    "not a date",
  ];
  const threads = dates.map((updatedAt, index) => ({ id: String(index), updatedAt }) as ThreadSummary);
  const [first, ...others] = threads;
  expect(groupByAge([{ ...first!, pinned: true }, ...others], now).map(({ age }) => age)).toEqual([
    "pinned",
    "yesterday",
    "previousWeek",
    "older",
  ]);
  expect(groupByAge(threads, now).map((group) => [group.age, group.threads.map(({ id }) => id).join("")])).toEqual([
    ["today", "0"],
    ["yesterday", "1"],
    ["previousWeek", "23"],
    ["older", "45"],
  ]);
});

it("shows pieces of Markdown without its marks, however they were cut", () => {
  const plain = {
    "Hello. I am the demo's **scripted model**: I play": "Hello. I am the demo's scripted model: I play",
    "the ~~old~~ `code` and [a link](https://x.example/a_b) and [cut](https://": "the old code and a link and cut",
    "## Title - one * two | a | b |": "Title one two a b",
    "2 * 3 and snake_case stay, a*b too": "2 3 and snake_case stay, a*b too",
  };
  for (const [written, shown] of Object.entries(plain)) expect(withoutMarks(written)).toBe(shown);
});

it("has the conversation first whose title is what was searched for", () => {
  const threads = ["Say hello", "Hello", "hello again"].map((title) => ({ title }) as ThreadSummary);
  expect(exactFirst(threads, " hello ").map(({ title }) => title)).toEqual(["Hello", "Say hello", "hello again"]);
  expect(exactFirst(threads, "")).toBe(threads);
  const pinned = { title: "Say hello", pinned: true } as ThreadSummary;
  expect(exactFirst([pinned, ...threads.slice(1)], "hello")[0]).toBe(pinned);
});

it("writes the time of today without a zero before it", () => {
  const now = new Date(2026, 2, 12, 14);
  expect(shortDate(new Date(2026, 2, 12, 1, 30).toISOString(), now)).toMatch(/^1:30/);
});
