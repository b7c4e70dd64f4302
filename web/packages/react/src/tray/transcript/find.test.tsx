import type { Message } from "@pageside/core";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { assistant, fakeClient, user } from "../../../dev/fakeClient.js";
import { toTurns } from "../turn/turns.js";
import { hitsIn, rangeOf } from "./found.js";
import { showTray } from "../../../test/harness.js";

const thread = (turns: number) =>
  Array.from({ length: turns }, (_, n) => [user(`question ${n}.`), assistant(`An *answer* to ${n}.`)]).flat();
const find = { key: "f", ctrlKey: true };
const field = () => screen.findByRole("searchbox", { name: "Find in the conversation" });
const count = () => document.querySelector(".ps-find [role=status]")!.textContent;

async function show(turns: number, change: object = {}) {
  const shown = showTray({ messages: thread(turns), ...change });
  await screen.findByText(`question ${turns - 1}.`);
  return shown;
}

it("finds what is not drawn, from the newest match to the oldest, and closes by Escape", async () => {
  const { keys } = await show(100);
  expect(screen.queryByText("question 3.")).toBeNull();
  expect(fireEvent.keyDown(screen.getByRole("log"), find)).toBe(false);
  const box = await field();
  expect(document.activeElement).toBe(box);
  await keys.type(box, "Question 3");
  await waitFor(() => expect(count()).toBe("11 of 11"));
  await keys.keyboard("{Enter}");
  await waitFor(() => expect(count()).toBe("1 of 11"));
  expect(await screen.findByText("question 3.")).toBeTruthy();
  await keys.keyboard("{Shift>}{Enter}{/Shift}");
  await waitFor(() => expect(count()).toBe("11 of 11"));
  await keys.click(screen.getByRole("button", { name: "Previous match" }));
  await waitFor(() => expect(count()).toBe("10 of 11"));
  await keys.click(screen.getByRole("button", { name: "Next match" }));
  await waitFor(() => expect(count()).toBe("11 of 11"));
  await keys.clear(box);
  await keys.type(box, "nothing of the kind");
  await waitFor(() => expect(count()).toBe("No matches"));
  await keys.keyboard("{Escape}");
  expect(document.querySelector(".ps-find")).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole("log"));
  expect(document.querySelector(".ps-root[data-open]")).not.toBeNull();
});

it("leaves a thread that is all drawn to the browser, and a second press too", async () => {
  const { client } = await show(20);
  expect(fireEvent.keyDown(screen.getByRole("log"), find)).toBe(true);
  act(() => client.show({ messages: thread(100) }));
  expect(fireEvent.keyDown(screen.getByRole("log"), { ...find, shiftKey: true })).toBe(true);
  expect(fireEvent.keyDown(screen.getByRole("log"), find)).toBe(false);
  expect(fireEvent.keyDown(await field(), find)).toBe(true);
});

it("loads what is older before it looks", async () => {
  const { client, asked } = await show(20, { older: "available" });
  fireEvent.keyDown(screen.getByRole("log"), find);
  await field();
  expect(asked("loadOlder")).toEqual([[{ all: true }]]);
  act(() => client.show({ older: "loading" }));
  expect(count()).toBe("Loading earlier messages");
});

it("looks through questions, answers, what the model thought, tools and cards", () => {
  const messages: Message[] = [
    user("Where is the **needle**?"),
    { id: "r", role: "reasoning", content: "A needle, then." },
    { ...assistant("", "find_needle"), id: "c" },
    { id: "p", role: "activity", activityType: "report", content: { rows: [{ title: "One needle", count: 1284 }] } },
    assistant("A nee*dle* and\nanother needle."),
  ].map((message) => ({ ...message, metadata: { pageside: { source: "tool", status: "accepted" } } }) as Message);
  const turns = toTurns(fakeClient({ messages }).getSnapshot());
  const of = (query: string, labels?: Record<string, string>) => hitsIn(turns, query, labels).length;
  expect(of("needle")).toBe(6);
  expect(of("and another")).toBe(1);
  expect(of("1284")).toBe(1);
  expect(of("the **needle**?")).toBe(1);
  expect(of("(")).toBe(0);
  expect(of(" ")).toBe(0);
});

it("knows where a match stands, also across marks, and the last one where there are fewer", () => {
  const turn = document.createElement("div");
  turn.innerHTML = "<p>A nee<em>dle</em> and</p><p>a Needle</p>";
  expect(["needle", "NEEDLE and", "none"].map((query) => rangeOf(turn, query, 0)?.toString())).toEqual([
    "needle",
    "needle and",
    undefined,
  ]);
  expect(rangeOf(turn, "needle", 1)?.startContainer.textContent).toBe("a Needle");
  expect(rangeOf(turn, "needle", 7)?.startContainer.textContent).toBe("a Needle");
});
