// Parts of the tray that are loaded later: when they are asked for, what is there until they come,
// and what if they do not come.
import type { ThreadSnapshot } from "@pageside/core";
import { act, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { assistant, user } from "../../dev/fakeClient.js";
import { approval } from "../../dev/statesInterrupts.js";

/** The modules that were asked for, each as often as it was. */
let asked: string[];
const mocked = new Set<string>();
let arrive: () => void;
let fail: (cause: Error) => void;

beforeEach(() => {
  asked = [];
  arrive = fail = () => {};
  vi.resetModules();
});
afterEach(async () => {
  arrive();
  // A mock that is set while an import is under way can get lost.
  await vi.dynamicImportSettled();
  for (const path of mocked) vi.doUnmock(path);
});

/** Holds a module back, until it may arrive or fails. */
function hold(path: string) {
  const gate = new Promise<void>((resolve, reject) => {
    arrive = resolve;
    fail = reject;
  });
  serve(path, () => gate);
}

/** Lets a module come once `isServed` resolves. */
function serve(path: string, isServed: () => Promise<void>) {
  mocked.add(path);
  vi.doMock(path, async (original) => {
    asked.push(path);
    await isServed();
    return await original();
  });
}

/** A tray of modules that are loaded anew. */
async function show(thread?: Partial<ThreadSnapshot>) {
  const { showTray } = await import("../../test/harness.js");
  return showTray(thread).client;
}

describe("what draws turns", () => {
  const PART = "./transcript/part.js";
  beforeEach(() => hold(PART));
  const talk = { messages: [user("q"), assistant("One *answer*")] };

  it("is loaded when the tray opens; a first question is shown at once, its answer when it has come", async () => {
    const client = await show();
    await vi.waitFor(() => expect(asked).toEqual([PART]));
    const question = user("Which orders are late?");
    act(() => client.show({ messages: [question], status: "submitted" }));
    expect(screen.getByText("Which orders are late?")).toBeTruthy();
    expect(screen.getByText("Thinking")).toBeTruthy();
    act(() => client.show({ messages: [question, assistant("**Two** are.")], status: "idle" }));
    await act(async () => arrive());
    expect((await screen.findByText("Two")).tagName).toBe("STRONG");
    expect(screen.getAllByText("Which orders are late?")).toHaveLength(1);
  });

  it("is outlined in a loaded conversation until then", async () => {
    await show(talk);
    expect(screen.getByRole("img", { name: "Loading the conversation" })).toBeTruthy();
    await act(async () => arrive());
    expect(await screen.findByText("answer")).toBeTruthy();
    expect(screen.queryByRole("img", { name: "Loading the conversation" })).toBeNull();
  });

  it("can be tried again where it did not come", async () => {
    await show(talk);
    await vi.waitFor(() => expect(asked).toEqual([PART]));
    await act(async () => fail(new Error("offline")));
    expect((await screen.findByRole("alert")).textContent).toContain("could not be loaded");
    hold(PART);
    await userEvent.click(screen.getByRole("button", { name: "Retry" }));
    arrive();
    expect(await screen.findByText("answer")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

describe("what draws questions", () => {
  const PART = "./approvals/part.js";
  const questions = [approval("i1", "send_mail", { to: "a", about: "b" }), approval("i2", "delete_index", {})];

  /** A tray whose transcript is there, and then a question. */
  async function ask() {
    hold(PART);
    const client = await show({ messages: [user("q"), assistant("An *answer*")] });
    await screen.findByText("answer");
    expect(asked).toEqual([]);
    act(() => client.show({ questions }));
    return screen.getByRole("group", { name: "Waiting for you" });
  }

  it("is loaded when the first question appears, whose room is kept until then", async () => {
    const group = await ask();
    const rooms = [...group.querySelectorAll<HTMLElement>("[aria-busy]")];
    expect(rooms.map(({ style }) => style.minBlockSize)).toEqual(["148px", "104px"]);
    await act(async () => arrive());
    expect(await within(group).findByRole("group", { name: "Run “Send mail”?" })).toBeTruthy();
    expect(group.querySelector("[aria-busy]")).toBeNull();
    expect(asked).toEqual([PART]);
  });

  it("can be tried again, at one place, where it did not come", async () => {
    await ask();
    await act(async () => fail(new Error("offline")));
    const alert = await screen.findByRole("alert");
    hold(PART);
    await userEvent.click(within(alert).getByRole("button", { name: "Retry" }));
    arrive();
    expect(await screen.findAllByRole("button", { name: "Approve" })).toHaveLength(2);
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

it("what a broken connection needs is loaded before the server goes", async () => {
  const parts = ["./queue/Queue.js", "./transcript/ErrorDetails.js", "./turn/QuestionActions.js"];
  let served = Promise.resolve();
  for (const part of parts) serve(part, () => served);
  const client = await show();
  await vi.waitFor(() => expect([...new Set(asked)].sort()).toEqual(parts), 10_000);
  await vi.dynamicImportSettled();
  served = Promise.reject(new Error("the server is gone"));
  served.catch(() => undefined);
  const error = { code: "network", message: "The server could not be reached.", retryable: true };
  const queue = [{ id: "m1", text: "next", mentions: [] }];
  act(() => client.show({ messages: [user("q")], status: "error", error, queue }));
  expect(await screen.findByRole("button", { name: "Remove: next" })).toBeTruthy();
  expect(screen.queryByText(/could not be loaded/)).toBeNull();
});
