import type { Message, Question, ToolCallState } from "@pageside/core";
import { act, cleanup, screen, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { assistant, fakeClient, user } from "../../../dev/fakeClient.js";
import { grouped, toTurns } from "./turns.js";
import { answerMedia, button, drawTray, showTray } from "../../../test/harness.js";

const call = (id: string, status: ToolCallState["status"] = "complete"): ToolCallState => ({
  id,
  name: id,
  frontend: false,
  status,
  argsText: "{}",
  startedAt: 0,
});
const callsOf = (...states: ToolCallState[]) => Object.fromEntries(states.map((state) => [state.id, state]));
const hidden = (text: string) => ({ ...user(text), metadata: { pageside: { hidden: true } } }) as Message;

it("draws what a page sent hidden as no question, and its answer as an answer", () => {
  showTray({ messages: [user("q"), assistant("A"), hidden("Summarise the page"), assistant("It is short.")] });
  expect(screen.queryByText(/Summarise/)).toBeNull();
  expect(screen.getByText("It is short.")).toBeTruthy();
  expect(document.querySelectorAll(".ps-turn")).toHaveLength(2);
});

it("draws the files of a question above it", async () => {
  const content = [
    { type: "text", text: "What is this?" },
    { type: "document", source: { type: "data", value: "QUJD", mimeType: "text/csv" }, metadata: { name: "rows.csv" } },
  ];
  showTray({ messages: [{ ...user(""), content } as Message, assistant("A table.")] });
  expect(await screen.findByText("rows.csv")).toBeTruthy();
  expect(document.querySelector(".ps-bubble")!.textContent).toBe("What is this?");
});

it("puts three calls or more into one line once another question is asked", async () => {
  const states = [call("one"), call("two", "failed"), call("three")];
  const [asked, answer] = [user("q"), assistant("", "one", "two", "three")];
  const { client, keys } = showTray({ messages: [asked, answer], toolCalls: callsOf(...states), status: "streaming" });
  const rows = () => screen.queryAllByRole("button", { name: /^(?:One|Two|Three)/ }).length;
  expect(rows()).toBe(3);
  act(() => client.show({ status: "idle" }));
  expect(rows()).toBe(3);
  act(() => client.show({ messages: [asked, answer, user("r")], status: "submitted" }));
  const group = await screen.findByRole("button", { name: /3 steps done/ });
  expect(group.textContent).toContain("1 failed");
  expect(rows()).toBe(0);
  await keys.click(group);
  expect(rows()).toBe(3);
});

it("groups neither two calls, nor those that wait or run", () => {
  const item = (state: ToolCallState) => ({ kind: "tool" as const, id: state.id, call: state });
  const kinds = (...states: ToolCallState[]) => grouped(states.map(item)).map(({ kind }) => kind);
  expect(kinds(call("a"), call("b"))).toEqual(["tool", "tool"]);
  expect(kinds(call("a"), call("b"), call("c", "awaiting-approval"))).toEqual(["tool", "tool", "tool"]);
  expect(kinds(call("a"), call("b"), call("c"), call("d", "executing"))).toEqual(["calls", "tool"]);
});

it("draws what a subagent does in a lane of its own", async () => {
  const from = (message: Message) => ({ ...message, subagentRunId: "s1" }) as Message;
  const messages = [user("q"), assistant("I ask around."), from(assistant("Found two.")), assistant("There are two.")];
  const { keys } = showTray({ messages });
  const kinds = toTurns(fakeClient({ messages }).getSnapshot())[0]!.items.map(({ kind }) => kind);
  expect(kinds).toEqual(["text", "lane", "text"]);
  expect(screen.queryByText("Found two.")).toBeNull();
  await keys.click(await screen.findByRole("button", { name: /^Subagent/ }));
  expect(screen.getByText("Found two.")).toBeTruthy();
});

it("says once of a question that it was not sent, and sends it again", async () => {
  const error = { code: "network", message: "fetch failed", retryable: true };
  const { client, asked, keys } = showTray({ messages: [user("q")], status: "error", error });
  expect((await screen.findByRole("alert")).textContent).toMatch(/^Not sent/);
  await keys.click(button("Retry"));
  expect(asked("retry")).toHaveLength(1);
  act(() => client.show({ messages: [user("q"), assistant("half")] }));
  expect(screen.queryByText("Not sent")).toBeNull();
});

it("does not say that a question was not sent where the model is what failed", async () => {
  const error = { code: "llm_network", message: "no model", retryable: true };
  showTray({ messages: [user("q")], status: "error", error });
  expect(await screen.findByRole("alert")).toBeTruthy();
  expect(await screen.findByRole("button", { name: "Edit message" })).toBeTruthy();
  expect(screen.queryByText("Not sent")).toBeNull();
});

it("keeps what was thought of an answer when it is drawn anew, and shows what the server tells", async () => {
  const told = { ...assistant("B"), metadata: { pageside: { feedback: { rating: -1 } } } } as Message;
  const { client, keys } = showTray({ messages: [user("q"), assistant("A"), user("r"), told] });
  const pressed = async () => {
    const thumbs = await screen.findAllByRole("button", { name: /^(?:Good|Bad) answer/ });
    return thumbs.map((thumb) => thumb.getAttribute("aria-pressed") === "true");
  };
  expect(await pressed()).toEqual([false, false, false, true]);
  await keys.click(screen.getAllByRole("button", { name: "Good answer" })[0]!);
  cleanup();
  drawTray(client);
  expect(await pressed()).toEqual([true, false, false, true]);
});

it("tells screen readers that a tool of the page asks, while the run goes on", async () => {
  const { client } = showTray({ messages: [user("q"), assistant("", "drop")], status: "executing" });
  const asked: Question = { id: "q", kind: "approval", from: "tool", toolCallId: "drop", message: "Drop it?" };
  act(() => client.show({ toolCalls: callsOf(call("drop", "awaiting-approval")), questions: [asked] }));
  const said = () => screen.getAllByRole("status").map(({ textContent }) => textContent);
  expect(said()).toContain("Waiting for you");
  expect(await screen.findByRole("group", { name: "Drop it?" })).toBeTruthy();
});

it("offers what to do with an answer after its last word", async () => {
  vi.useFakeTimers({ toFake: ["requestAnimationFrame", "cancelAnimationFrame", "performance"] });
  answerMedia(() => false);
  const words = "Three orders are late, and two of them were paid in May.";
  const asked = user("q");
  const { client } = showTray({ messages: [asked], status: "submitted" });
  const offered = () => document.querySelector(".ps-actions button") !== null;
  const shown = () => document.querySelector(".ps-answer-body .ps-md")?.textContent ?? "";
  act(() => client.show({ messages: [asked, assistant(words)], status: "idle" }));
  await waitFor(() => expect(shown()).not.toBe(""));
  for (let frames = 0; shown() !== words && frames < 100; frames++) {
    expect(offered(), shown()).toBe(false);
    act(() => void vi.advanceTimersToNextFrame());
  }
  expect(shown()).toBe(words);
  await waitFor(() => expect(offered()).toBe(true));
});
