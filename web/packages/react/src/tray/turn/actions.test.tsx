import type { Message, ThreadSnapshot } from "@pageside/core";
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { button, missing, drawTray, showTray } from "../../../test/harness.js";

const messages: Message[] = [
  { id: "u", role: "user", content: "Which pages?" },
  { id: "a", role: "assistant", content: "These." },
];

async function show(more: Partial<ThreadSnapshot> = {}) {
  const shown = showTray({ messages, ...more });
  await screen.findAllByRole("button", { name: "Edit message" });
  return shown;
}

it("asks again with another text, unless the user leaves it, and keeps the focus in the conversation", async () => {
  const { asked, keys } = await show();
  await keys.click(button("Edit message"));
  const editor = await screen.findByRole("textbox", { name: "Edit message" });
  await waitFor(() => expect(document.activeElement).toBe(editor));
  await keys.keyboard(" No{Escape}");
  expect(asked("edit")).toEqual([]);
  await waitFor(() => expect(document.activeElement).toBe(button("Edit message")));
  await keys.keyboard("{Enter}");
  await keys.keyboard(" And when?{Enter}");
  expect(asked("edit")).toEqual([["u", "Which pages? And when?"]]);
  expect(screen.getByRole("log").contains(document.activeElement)).toBe(true);
});

const branch = (runId: string, preview = "", current = false) => {
  return { runId, messageId: "u", preview, createdAt: "", current };
};

it("goes through the versions, which are there only where there are several", async () => {
  const { client, asked, keys } = await show();
  expect(screen.queryByRole("group", { name: "Versions" })).toBeNull();
  cleanup();
  client.show({ branches: { u: [branch("r1"), branch("r2", "", true)] } });
  drawTray(client);
  expect(screen.getByRole("group", { name: "Versions" }).textContent).toBe("2/2");
  await keys.click(button("Next version"));
  await keys.click(button("Previous version"));
  expect(asked("switchTo")).toEqual([["r1"]]);
});

it("has the versions of a question under the question, and those of its answer under the answer", async () => {
  const [pages, sites] = ["Which pages?", "Which sites?"];
  const u = [branch("r1", pages), branch("r2", sites, true), branch("r3", sites), branch("r4", "Who?")];
  const { asked, keys } = await show({ branches: { u } });
  const [ofQuestion, ofAnswer] = await screen.findAllByRole("group", { name: "Versions" });
  expect(ofQuestion!.closest(".ps-answer")).toBeNull();
  expect(ofQuestion!.textContent).toBe("2/3");
  expect(ofAnswer!.closest(".ps-answer")).not.toBeNull();
  expect(ofAnswer!.textContent).toBe("1/2");
  const next = (picker: HTMLElement) => within(picker).getByRole("button", { name: "Next version" });
  await keys.click(next(ofAnswer!));
  await keys.click(next(ofQuestion!));
  expect(asked("switchTo")).toEqual([["r3"], ["r4"]]);
});

it("says when the question was asked, and the day to who points at it", async () => {
  const at = new Date(2026, 2, 12, 9, 5);
  await show({ askedAt: { u: at.toISOString() } });
  const time = await screen.findByText(/^9:05\sAM$/);
  expect(time.getAttribute("title")).toMatch(/^Asked on March 12, 2026/);
  expect(time.getAttribute("datetime")).toBe(at.toISOString());
});

it("answers again, and keeps what the user thinks of the answer", async () => {
  const { asked, keys } = await show();
  await keys.click(button("Answer again"));
  expect(asked("regenerate")).toEqual([["a"]]);
  await keys.click(button("Good answer"));
  expect(button("Good answer").getAttribute("aria-pressed")).toBe("true");
  await keys.click(button("Bad answer"));
  await keys.click(button("Incorrect"));
  await keys.click(button("Incomplete"));
  expect(button("Incorrect").getAttribute("aria-pressed")).toBe("false");
  expect(button("Incomplete").getAttribute("aria-pressed")).toBe("true");
  await keys.type(screen.getByRole("textbox", { name: /What was wrong/ }), "Too short{Enter}");
  expect(screen.queryByRole("group", { name: /What was wrong/ })).toBeNull();
  await keys.click(button("Bad answer"));
  expect(asked("sendFeedback").map(([, feedback]) => feedback)).toEqual([
    { rating: 1 },
    { rating: -1 },
    { rating: -1, reason: "incorrect" },
    { rating: -1, reason: "incomplete" },
    { rating: -1, reason: "incomplete", comment: "Too short" },
    { rating: 0 },
  ]);
});

/** An answer that was cut off, and the card it ends with, if it has one. */
const cutAnswer = (reason: string, ...more: Message[]): Partial<ThreadSnapshot> => ({
  messages: [messages[0]!, { ...messages[1]!, metadata: { pageside: { status: "cut", reason } } } as Message, ...more],
});

it.each(["length", "filter", "steps"])("offers to go on with an answer that was cut by %s", async (reason) => {
  const { client, asked, keys } = await show(cutAnswer(reason));
  const next = await screen.findByRole("button", { name: "Continue" });
  next.focus();
  await keys.keyboard("{Enter}");
  expect(asked("continueAnswer")).toEqual([["a"]]);
  expect(document.activeElement).toBe(screen.getByRole("textbox"));
  act(() => client.show({ status: "submitted" }));
  missing("Continue");
});

it("offers it where a card was cut behind the text, and for a card alone", async () => {
  const card = (own: object) =>
    ({
      id: "k",
      role: "activity",
      activityType: "plan",
      content: { error: { code: "cut_off", message: "cut off" } },
      metadata: { pageside: { source: "llm", status: "failed", ...own } },
    }) as unknown as Message;
  const first = await show(cutAnswer("length", card({})));
  await first.keys.click(await screen.findByRole("button", { name: "Continue" }));
  expect(first.asked("continueAnswer")).toEqual([["a"]]);
  cleanup();
  const second = await show({ messages: [messages[0]!, card({ reason: "length" })] });
  await second.keys.click(await screen.findByRole("button", { name: "Continue" }));
  expect(second.asked("continueAnswer")).toEqual([["k"]]);
});

it("does not offer it for an answer that is whole, stopped, or followed by something", async () => {
  const stopped = cutAnswer("length");
  for (const thread of [
    {},
    { ...stopped, stoppedMessageIds: ["a"] },
    cutAnswer("length", { id: "b", role: "assistant", content: "And more." }),
    cutAnswer("length", { id: "u2", role: "user", content: "Thanks" }),
  ]) {
    await show(thread);
    await screen.findAllByRole("button", { name: "Answer again" });
    missing("Continue");
    cleanup();
  }
});

it("links to the inspector, for those who may see it, with the way back", async () => {
  await show();
  await screen.findByRole("button", { name: "Answer again" });
  expect(screen.queryByRole("link", { name: "Open in the inspector" })).toBeNull();
  cleanup();
  await show({ threadId: "t/1", rights: ["definitions", "inspector"] });
  const link = await screen.findByRole<HTMLAnchorElement>("link", { name: "Open in the inspector" });
  const { pathname, hash } = new URL(link.href);
  const asked = Object.fromEntries(new URLSearchParams(hash.slice(1)));
  expect([pathname, asked]).toEqual(["/inspector", { thread: "t/1", message: "a", from: location.href }]);
  expect([link.target, link.rel]).toEqual(["_blank", "noopener"]);
});

it("opens the thread that the page's address names, once", async () => {
  history.replaceState({ kept: 1 }, "", "/?id=7&pageside-thread=t%209#x");
  const { asked } = await show();
  expect(asked("openThread")).toEqual([["t 9"]]);
  expect([location.search, location.hash, history.state]).toEqual(["?id=7", "#x", { kept: 1 }]);
  cleanup();
  const again = await show();
  expect(again.asked("openThread")).toEqual([]);
});
