import type { ThreadSnapshot } from "@pageside/core";
import { act, createEvent, fireEvent, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { assistant, user } from "../../../dev/fakeClient.js";
import { button, showTray } from "../../../test/harness.js";

function show(thread?: Partial<ThreadSnapshot>) {
  const shown = showTray(thread);
  const input = screen.getByRole<HTMLTextAreaElement>("textbox");
  act(() => input.focus());
  const sent = () => shown.asked("send").map(([text]) => text);
  const stops = () => shown.asked("stop").length;
  return { ...shown, input, sent, stops };
}

const answering = { messages: [user("q")], status: "streaming" } as const;

describe("writing", () => {
  it("sends by Enter, breaks lines by Shift+Enter, sends no blanks", async () => {
    const { input, keys, sent } = show();
    await keys.keyboard("{Enter}   {Enter}");
    expect(sent()).toEqual([]);
    await keys.clear(input);
    await keys.keyboard("one{Shift>}{Enter}{/Shift}two{Enter}");
    expect(sent()).toEqual(["one\ntwo"]);
    expect(input.value).toBe("");
    await keys.keyboard("three{Control>}{Enter}{/Control}");
    expect(sent()).toEqual(["one\ntwo", "three"]);
  });

  it("leaves Enter to an input method, also to Safari's", () => {
    const { input, sent } = show();
    fireEvent.change(input, { target: { value: "にほん" } });
    fireEvent.keyDown(input, { key: "Enter", isComposing: true });
    fireEvent.keyDown(input, { key: "Enter", keyCode: 229 });
    fireEvent.keyDown(input, { key: "Escape", isComposing: true });
    expect(sent()).toEqual([]);
    expect(document.querySelector(".ps-tray")!.hasAttribute("inert")).toBe(false);
    fireEvent.keyDown(input, { key: "Enter", keyCode: 13 });
    expect(sent()).toEqual(["にほん"]);
  });
});

describe("while an answer is written", () => {
  it("the send button stops, and keeps the focus when the answer is over", async () => {
    const { client, keys, stops } = show(answering);
    await keys.click(button("Stop"));
    expect(stops()).toBe(1);
    act(() => client.show({ status: "idle" }));
    expect(document.activeElement).toBe(button("Send message"));
  });

  it("a message can be sent, to wait for its end, and the answer stopped without losing the draft", async () => {
    const { input, keys, sent, stops } = show(answering);
    await keys.keyboard("next question{Enter}");
    expect(sent()).toEqual(["next question"]);
    expect(input.value).toBe("");
    await keys.keyboard("draft");
    await keys.click(button("Stop"));
    expect(stops()).toBe(1);
    expect(input.value).toBe("draft");
    expect(document.activeElement).toBe(input);
  });

  it("a host's own Escape stops nothing", async () => {
    const { input, keys, stops } = show(answering);
    const taken = createEvent.keyDown(input, { key: "Escape" });
    taken.preventDefault();
    fireEvent(input, taken);
    expect(stops()).toBe(0);
    await keys.keyboard("{Escape}");
    expect(stops()).toBe(1);
  });
});

it("can be used without a mouse from end to end", async () => {
  const { client, keys, input } = show();
  await keys.keyboard("which pages?{Enter}");
  act(() => client.show({ messages: [user("which pages?"), assistant("See [docs](https://a.example).")] }));
  await keys.keyboard("{F6}");
  expect(document.activeElement).toBe(screen.getByRole("log"));
  await keys.tab();
  expect(document.activeElement).toBe(await screen.findByRole("button", { name: "Edit message" }));
  await keys.tab();
  expect(document.activeElement).toBe(screen.getByRole("link", { name: "docs" }));
  await keys.tab();
  expect(document.activeElement).toBe(button("Copy message"));
  const write = vi.spyOn(navigator.clipboard, "writeText");
  await keys.keyboard("{Enter}");
  expect(write).toHaveBeenCalledWith("See [docs](https://a.example).");
  expect(await screen.findByRole("button", { name: "Copied" })).toBeTruthy();
  for (const name of ["Good answer", "Bad answer", "Answer again"]) {
    await keys.tab();
    expect(document.activeElement).toBe(button(name));
  }
  await keys.tab();
  expect(document.activeElement).toBe(input);
  await keys.tab({ shift: true });
  await keys.keyboard("{F6}");
  expect(document.activeElement).toBe(input);
});
