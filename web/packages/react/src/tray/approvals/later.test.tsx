import { act, render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { assistant, fakeClient, user } from "../../../dev/fakeClient.js";
import { approval } from "../../../dev/statesInterrupts.js";

/** How often the cards were asked for, and what lets them come or fail. */
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

/** A tray whose transcript is there, and whose cards are not. */
async function show() {
  const { AssistantProvider } = await import("../../provider.js");
  const { AssistantTray } = await import("../AssistantTray.js");
  const { panelsPart } = await import("../panels/later.js");
  await panelsPart.load();
  const client = fakeClient({ messages: [user("q"), assistant("An *answer*")] });
  render(
    <AssistantProvider client={client} defaultOpen>
      <AssistantTray />
    </AssistantProvider>,
  );
  await screen.findByText("answer");
  return client;
}

const questions = [approval("i1", "send_mail", { to: "a", about: "b" }), approval("i2", "delete_index", {})];

it("is loaded when the first question appears, whose room is kept until then", async () => {
  const client = await show();
  expect(asked).toBe(0);
  act(() => client.show({ questions }));
  const group = screen.getByRole("group", { name: "Waiting for you" });
  const rooms = [...group.querySelectorAll<HTMLElement>("[aria-busy]")];
  expect(rooms.map(({ style }) => style.minBlockSize)).toEqual(["148px", "104px"]);
  await act(async () => arrive());
  expect(await within(group).findByRole("group", { name: "Run “Send mail”?" })).toBeTruthy();
  expect(group.querySelector("[aria-busy]")).toBeNull();
  expect(asked).toBe(1);
});

it("can be tried again, at one place, where it did not come", async () => {
  const client = await show();
  act(() => client.show({ questions }));
  await act(async () => fail(new Error("offline")));
  const alert = await screen.findByRole("alert");
  wait();
  await userEvent.click(within(alert).getByRole("button", { name: "Retry" }));
  arrive();
  expect(await screen.findAllByRole("button", { name: "Approve" })).toHaveLength(2);
  expect(screen.queryByRole("alert")).toBeNull();
});
