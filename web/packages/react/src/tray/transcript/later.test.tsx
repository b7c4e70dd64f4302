import { act, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { assistant, fakeClient, user } from "../../../dev/fakeClient.js";

/** How often the part was asked for, and what it answers with until it may come. */
let asked = 0;
let arrive: () => void;
let fail: (cause: Error) => void;

beforeEach(() => {
  asked = 0;
  vi.resetModules();
  wait();
});
afterEach(async () => {
  arrive();
  // A mock that is set while an import is under way can get lost.
  await vi.dynamicImportSettled();
});

function wait() {
  const gate = new Promise<void>((resolve, reject) => {
    arrive = resolve;
    fail = reject;
  });
  vi.doMock("./part.js", async (original) => {
    asked++;
    await gate;
    return await original();
  });
}

/** A tray whose part for turns has not come yet. */
async function show(...given: Parameters<typeof fakeClient>) {
  const { AssistantProvider } = await import("../../provider.js");
  const { AssistantTray } = await import("../AssistantTray.js");
  const client = fakeClient(...given);
  render(
    <AssistantProvider client={client} defaultOpen>
      <AssistantTray />
    </AssistantProvider>,
  );
  return client;
}

it("shows a first question at once, and its answer when what draws it has come", async () => {
  const client = await show();
  const question = user("Which orders are late?");
  act(() => client.show({ messages: [question], status: "submitted" }));
  expect(screen.getByText("Which orders are late?")).toBeTruthy();
  expect(screen.getByText("Thinking")).toBeTruthy();

  act(() => client.show({ messages: [question, assistant("**Two** are.")], status: "idle" }));
  await act(async () => arrive());
  expect((await screen.findByText("Two")).tagName).toBe("STRONG");
  expect(screen.getAllByText("Which orders are late?")).toHaveLength(1);
});

it("outlines a loaded conversation until then", async () => {
  await show({ messages: [user("q"), assistant("One *answer*")] });
  expect(screen.getByRole("img", { name: "Loading the conversation" })).toBeTruthy();
  await act(async () => arrive());
  expect(await screen.findByText("answer")).toBeTruthy();
  expect(screen.queryByRole("img", { name: "Loading the conversation" })).toBeNull();
});

it("is loaded when the tray opens, before anything is asked", async () => {
  await show();
  await vi.waitFor(() => expect(asked).toBe(1));
});

it("can be tried again where it did not come", async () => {
  await show({ messages: [user("q"), assistant("One *answer*")] });
  await vi.waitFor(() => expect(asked).toBe(1));
  await act(async () => fail(new Error("offline")));
  expect((await screen.findByRole("alert")).textContent).toContain("could not be loaded");
  wait();
  await userEvent.click(screen.getByRole("button", { name: "Retry" }));
  arrive();
  expect(await screen.findByText("answer")).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
});
