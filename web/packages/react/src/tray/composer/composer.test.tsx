import { act, createEvent, fireEvent, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { assistant, fakeClient, user, type FakeClient } from "../../../dev/fakeClient.js";
import { drawTray } from "../../../test/harness.js";

function show(client: FakeClient) {
  drawTray(client);
  const input = screen.getByRole<HTMLTextAreaElement>("textbox");
  act(() => input.focus());
  return { input, keys: userEvent.setup() };
}

const sent = (client: FakeClient) => client.calls.filter(([name]) => name === "send").map(([, text]) => text);
const stops = (client: FakeClient) => client.calls.filter(([name]) => name === "stop").length;

describe("writing", () => {
  it("sends by Enter, breaks lines by Shift+Enter, sends no blanks", async () => {
    const client = fakeClient();
    const { input, keys } = show(client);
    await keys.keyboard("{Enter}   {Enter}");
    expect(sent(client)).toEqual([]);
    await keys.clear(input);
    await keys.keyboard("one{Shift>}{Enter}{/Shift}two{Enter}");
    expect(sent(client)).toEqual(["one\ntwo"]);
    expect(input.value).toBe("");
    await keys.keyboard("three{Control>}{Enter}{/Control}");
    expect(sent(client)).toEqual(["one\ntwo", "three"]);
  });

  it("leaves Enter to an input method, also to Safari's", () => {
    const client = fakeClient();
    const { input } = show(client);
    fireEvent.change(input, { target: { value: "にほん" } });
    fireEvent.keyDown(input, { key: "Enter", isComposing: true });
    fireEvent.keyDown(input, { key: "Enter", keyCode: 229 });
    fireEvent.keyDown(input, { key: "Escape", isComposing: true });
    expect(sent(client)).toEqual([]);
    expect(document.querySelector(".ps-tray")!.hasAttribute("inert")).toBe(false);
    fireEvent.keyDown(input, { key: "Enter", keyCode: 13 });
    expect(sent(client)).toEqual(["にほん"]);
  });
});

describe("while an answer is written", () => {
  it("the send button stops, and keeps the focus when the answer is over", async () => {
    const client = fakeClient({ messages: [user("q")], status: "streaming" });
    const { keys } = show(client);
    await keys.click(screen.getByRole("button", { name: "Stop" }));
    expect(stops(client)).toBe(1);
    act(() => client.show({ status: "idle" }));
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Send message" }));
  });

  it("a message can be sent, to wait for its end, and the answer stopped without losing the draft", async () => {
    const client = fakeClient({ messages: [user("q")], status: "streaming" });
    const { input, keys } = show(client);
    await keys.keyboard("next question{Enter}");
    expect(sent(client)).toEqual(["next question"]);
    expect(input.value).toBe("");
    await keys.keyboard("draft");
    await keys.click(screen.getByRole("button", { name: "Stop" }));
    expect(stops(client)).toBe(1);
    expect(input.value).toBe("draft");
    expect(document.activeElement).toBe(input);
  });

  it("Escape stops first and closes then; a host's own Escape does neither", async () => {
    const client = fakeClient({ messages: [user("q")], status: "streaming" });
    const { input, keys } = show(client);
    const taken = createEvent.keyDown(input, { key: "Escape" });
    taken.preventDefault();
    fireEvent(input, taken);
    expect(stops(client)).toBe(0);
    await keys.keyboard("{Escape}");
    expect(stops(client)).toBe(1);
    expect(document.querySelector(".ps-tray")!.hasAttribute("inert")).toBe(false);
    act(() => client.show({ status: "idle" }));
    await keys.keyboard("{Escape}");
    expect(document.querySelector(".ps-tray")!.hasAttribute("inert")).toBe(true);
  });
});

it("can be used without a mouse from end to end", async () => {
  const client = fakeClient();
  const { keys, input } = show(client);
  await keys.keyboard("which pages?{Enter}");
  act(() => client.show({ messages: [user("which pages?"), assistant("See [docs](https://a.example).")] }));
  await keys.keyboard("{F6}");
  expect(document.activeElement).toBe(screen.getByRole("log"));
  await keys.tab();
  expect(document.activeElement).toBe(await screen.findByRole("button", { name: "Edit message" }));
  await keys.tab();
  expect(document.activeElement).toBe(screen.getByRole("link", { name: "docs" }));
  await keys.tab();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Copy message" }));
  const write = vi.spyOn(navigator.clipboard, "writeText");
  await keys.keyboard("{Enter}");
  expect(write).toHaveBeenCalledWith("See [docs](https://a.example).");
  expect(await screen.findByRole("button", { name: "Copied" })).toBeTruthy();
  for (const name of ["Good answer", "Bad answer", "Answer again"]) {
    await keys.tab();
    expect(document.activeElement).toBe(screen.getByRole("button", { name }));
  }
  await keys.tab();
  expect(document.activeElement).toBe(input);
  await keys.tab({ shift: true });
  await keys.keyboard("{F6}");
  expect(document.activeElement).toBe(input);
});
