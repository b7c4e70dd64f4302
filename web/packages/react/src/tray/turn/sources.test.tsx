import type { Message } from "@pageside/core";
import { act, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { assistant, fakeClient, user } from "../../../dev/fakeClient.js";
import { german } from "../../labels/german.js";
import { cutAtMarks, sourcesOf } from "./answerSources.js";
import { toTurns } from "./turns.js";
import { showTray } from "../../../test/harness.js";

const named = (id: string, ...sources: unknown[]) =>
  ({ id, role: "activity", activityType: "pageside_sources", content: { sources } }) as Message;
const first = { number: 1, title: "First study", url: "https://example.com/1", snippet: "It worked." };
const row = { number: 2, title: "Row three", url: "#row-3" };
const talk = [user("q"), named("s1", first, row), assistant("It worked [1], see [2]. Not `[1]`, not [7].")];

const show = (messages: readonly Message[], labels?: object) => showTray({ messages: [...messages] }, { labels });

it("makes links of marks that have a source, and leaves the others as text", async () => {
  show(talk);
  const mark = await screen.findByRole("link", { name: "Source 1: First study" });
  expect(mark.getAttribute("href")).toBe("https://example.com/1");
  expect(mark.getAttribute("rel")).toContain("noopener");
  expect(mark.getAttribute("target")).toBe("_blank");
  const local = screen.getByRole("link", { name: "Source 2: Row three" });
  expect([local.getAttribute("href"), local.getAttribute("target")]).toEqual(["#row-3", null]);
  expect(screen.queryByRole("link", { name: /Source 7/ })).toBeNull();
  expect(screen.getByText("[1]", { selector: "code" })).toBeTruthy();
  expect(document.querySelector(".ps-md")?.textContent).toBe("It worked [1], see [2]. Not [1], not [7].");
});

it("shows title and snippet on focus and hover; Escape hides them and leaves the tray open", async () => {
  const { keys } = show(talk);
  const mark = await screen.findByRole("link", { name: "Source 1: First study" });
  act(() => mark.focus());
  expect(screen.getByRole("tooltip").textContent).toBe("First study example.comIt worked.");
  expect(mark.getAttribute("aria-describedby")).toBe(screen.getByRole("tooltip").id);
  await keys.keyboard("{Escape}");
  expect(screen.queryByRole("tooltip")).toBeNull();
  expect(document.querySelector(".ps-tray")).not.toBeNull();
  await keys.hover(mark);
  expect(screen.getByRole("tooltip")).toBeTruthy();
  await keys.unhover(mark);
  expect(screen.queryByRole("tooltip")).toBeNull();
});

it("folds the sources into one line under the answer", async () => {
  const { keys } = show(talk);
  const line = await screen.findByRole("button", { name: "2 sources" });
  expect(line.getAttribute("aria-expanded")).toBe("false");
  await keys.click(line);
  expect(screen.getByRole("link", { name: "First study" }).getAttribute("href")).toBe("https://example.com/1");
  expect(screen.getAllByRole("listitem").map((item) => item.getAttribute("value"))).toEqual(["1", "2"]);
});

it("speaks German", async () => {
  show(talk, german);
  expect(await screen.findByRole("button", { name: "2 Quellen" })).toBeTruthy();
  expect(await screen.findByRole("link", { name: "Quelle 1: First study" })).toBeTruthy();
});

it("shows a source without an address as a button", async () => {
  const { keys } = show([user("q"), named("s", { number: 3, title: "A book" }), assistant("So it is [3].")]);
  await keys.click(await screen.findByRole("button", { name: "Source 3: A book" }));
  expect(screen.getByRole("tooltip").textContent).toBe("A book");
});

it("takes nothing that must not be followed or shown", () => {
  const bad = [
    "javascript:alert(1)",
    "java\tscript:alert(1)",
    "data:text/html,x",
    "mailto:a@b.c",
    "//evil.example",
    "/\\evil.example",
    7,
  ];
  const sources = sourcesOf(named("s", ...bad.map((url, at) => ({ number: at + 1, title: "x", url }))));
  expect(sources.map(({ url }) => url)).toEqual(bad.map(() => undefined));
  const odd = [null, 1, "x", {}, { number: "1", title: "x" }, { number: 1.5, title: "x" }, { number: 1, title: {} }];
  expect(sourcesOf(named("s", ...odd))).toEqual([]);
  expect(sourcesOf({ ...named("s"), content: null } as unknown as Message)).toEqual([]);
});

it("cuts a text at its marks", () => {
  const sources = sourcesOf(named("s", first, row));
  const [one, two] = sources;
  expect(cutAtMarks("a [1, 2][2] b [1, 9] [x] [12345]", sources)).toEqual([
    "a ",
    one,
    two,
    "",
    two,
    " b [1, 9] [x] [12345]",
  ]);
});

it("knows the sources of earlier answers where a later one cites them", () => {
  const later = [...talk, user("and?"), assistant("As in [1].")];
  const turns = toTurns(fakeClient({ messages: later }).getSnapshot());
  expect(turns.map(({ sources }) => sources.map(({ number }) => number))).toEqual([[1, 2], [1]]);
  const again = toTurns(fakeClient({ messages: later }).getSnapshot());
  expect(again).toEqual(turns);
  again.forEach((turn, index) => expect(turn).toBe(turns[index]));
  const without = toTurns(fakeClient({ messages: later.filter(({ id }) => id !== "s1") }).getSnapshot());
  expect(without[1]!.sources).toEqual([]);
});
