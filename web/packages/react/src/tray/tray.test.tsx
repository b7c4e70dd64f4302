import { act, cleanup, fireEvent, screen, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { assistant, user, type FakeClient } from "../../dev/fakeClient.js";
import { useAssistant } from "../hooks/useAssistant.js";
import { composerEnglish } from "../labels/composerEnglish.js";
import { english } from "../labels/english.js";
import { german } from "../labels/german.js";
import { panelEnglish } from "../labels/panelEnglish.js";
import { type AssistantTrayProps } from "./types.js";
import { answerMedia, button, missing, showTray } from "../../test/harness.js";

const show = (props: AssistantTrayProps = {}, isOpen = true, thread: Parameters<typeof showTray>[0] = {}) =>
  showTray(thread, { ...props, page: <OpenButton />, isOpen });

function OpenButton() {
  const { open } = useAssistant();
  return (
    <button type="button" onClick={open}>
      Ask
    </button>
  );
}

const tray = () => document.querySelector<HTMLElement>(".ps-tray")!;
const input = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message", hidden: true });
const inset = () => document.documentElement.style.getPropertyValue("--ps-tray-inset");

describe("open and closed", () => {
  it("is inert when closed and gives the focus back", async () => {
    const { keys } = show({}, false);
    expect(tray().hasAttribute("inert")).toBe(true);

    await keys.click(button("Open Assistant"));
    expect(tray().hasAttribute("inert")).toBe(false);
    expect(document.activeElement).toBe(input());

    await keys.keyboard("{Escape}");
    expect(tray().hasAttribute("inert")).toBe(true);
    expect(document.activeElement).toBe(button("Open Assistant"));

    await keys.click(button("Ask"));
    await keys.click(button("Close"));
    expect(document.activeElement).toBe(button("Ask"));
  });

  it("has no button of its own where the page has one", () => {
    show({ launcher: false }, false);
    missing("Open Assistant");
  });

  it("goes with Ctrl+/ to the tray, its input, and away", async () => {
    const { keys } = show({}, false);
    await keys.keyboard("{Control>}/{/Control}");
    expect(document.activeElement).toBe(input());
    act(() => button("Ask").focus());
    await keys.keyboard("{Control>}/{/Control}");
    expect(document.activeElement).toBe(input());
    await keys.keyboard("{Control>}/{/Control}");
    expect(tray().hasAttribute("inert")).toBe(true);
  });

  it("is as the user left it at the next visit, without taking the focus", async () => {
    const first = show({}, false);
    const { keys } = first;
    await keys.click(button("Open Assistant"));
    first.unmount();

    const second = show({}, false);
    expect(tray().hasAttribute("inert")).toBe(false);
    expect(document.activeElement).toBe(document.body);
    await keys.click(button("Close"));
    second.unmount();

    show({ defaultOpen: true }, false);
    expect(tray().hasAttribute("inert")).toBe(true);
  });

  it("opens at the first visit where the host says so", () => {
    show({ defaultOpen: true }, false);
    expect(tray().hasAttribute("inert")).toBe(false);
  });

  it("tells the page its room by a variable and styles nothing of it", () => {
    const { unmount } = show();
    expect(inset()).toBe("420px");
    expect(document.documentElement.style).toHaveLength(1);
    expect(document.body.getAttribute("style")).toBeNull();
    expect(document.body.className).toBe("");
    fireEvent.click(button("Close"));
    expect(inset()).toBe("0px");
    unmount();
    expect(document.documentElement.style).toHaveLength(0);
  });

  it("is a dialog over the page on small screens that keeps Tab inside", async () => {
    answerMedia((query) => query.includes("max-width"));
    const { keys } = show();
    expect(screen.getByRole("dialog", { name: "Assistant" }).getAttribute("aria-modal")).toBe("true");
    expect(inset()).toBe("0px");
    expect(screen.queryByRole("separator")).toBeNull();
    act(() => button("Send message").focus());
    await keys.tab();
    expect(document.activeElement).toBe(button("History"));
    await keys.tab({ shift: true });
    expect(document.activeElement).toBe(button("Send message"));
  });
});

describe("the width", () => {
  const handle = () => screen.getByRole("separator", { name: "Resize the assistant" });
  const width = () => Number(handle().getAttribute("aria-valuenow"));

  it("changes by keys within its bounds and is remembered", async () => {
    vi.stubGlobal("innerWidth", 1000);
    const { keys, unmount } = show();
    await screen.findByRole("separator");
    expect([width(), handle().ariaValueMin, handle().ariaValueMax]).toEqual([420, "340", "600"]);
    act(() => handle().focus());
    await keys.keyboard("{ArrowLeft}{ArrowLeft}");
    expect(width()).toBe(452);
    expect(inset()).toBe("452px");
    await keys.keyboard("{Home}{ArrowRight}");
    expect(width()).toBe(340);
    await keys.keyboard("{End}{ArrowLeft}");
    expect(width()).toBe(600);
    await keys.dblClick(handle());
    expect(width()).toBe(420);
    await keys.keyboard("{ArrowRight}");
    unmount();
    show();
    expect(width()).toBe(404);
  });

  it("is not taken from a broken memory", async () => {
    localStorage.setItem("pageside:tray", '{"width":"wide","open":7}');
    show();
    await screen.findByRole("separator");
    expect(width()).toBe(420);
  });
});

describe("an empty conversation", () => {
  it("greets with the page's name and sends an example question", () => {
    const { asked } = show({ pageName: "Orders", suggestions: ["Which are late?"] });
    expect(screen.getByRole("heading", { name: "Ask about Orders" })).toBeTruthy();
    expect(screen.getByText("Orders").tagName).toBe("EM");
    fireEvent.click(button("Which are late?"));
    expect(asked("send")).toEqual([["Which are late?"]]);
  });

  it("says in words that a scripted model answers", () => {
    show();
    const badge = screen.getByText(/^Scripted demo model/);
    expect(badge.title).toContain("rules in a file");
    cleanup();
    show({}, true, { model: { name: "openai/gpt-5-mini", scripted: false } });
    expect(screen.getByText(/^gpt-5-mini/)).toBeTruthy();
    expect(screen.queryByText(/Scripted/)).toBeNull();
  });

  it("has nothing to start over from", () => {
    const { client, asked } = show();
    fireEvent.click(button("New conversation"));
    expect(asked("newThread")).toHaveLength(0);
    act(() => client.show({ messages: [user("hi")] }));
    fireEvent.click(button("New conversation"));
    expect(asked("newThread")).toHaveLength(1);
  });
});

it("speaks German, every text of it", () => {
  show({ labels: german }, true, { messages: [user("hallo")], status: "submitted" });
  expect(screen.getByText("Denkt nach")).toBeTruthy();
  expect(button("Anhalten")).toBeTruthy();
  const missing = Object.keys({ ...english, ...panelEnglish, ...composerEnglish }).filter((key) => !(key in german));
  expect(missing).toEqual([]);
});

it("announces each answer once, and errors by their card", async () => {
  const { client } = show();
  const status = within(tray()).getByRole("status");
  const said: string[] = [];
  const observer = new MutationObserver(() => said.push(status.textContent));
  observer.observe(status, { childList: true, characterData: true, subtree: true });
  const flush = () => {
    if (observer.takeRecords().length > 0) said.push(status.textContent);
  };
  const step = (change: Parameters<FakeClient["show"]>[0]) => {
    act(() => client.show(change));
    flush();
  };

  const asked = user("which?");
  const half = assistant("The **first**");
  const whole = { ...half, content: "The **first** and `second`." } as typeof half;
  step({ messages: [asked], status: "submitted" });
  step({ messages: [asked, half], status: "streaming", streamingMessageId: half.id });
  step({ messages: [asked, whole] });
  step({ status: "executing" });
  step({ status: "streaming" });
  step({ status: "idle", streamingMessageId: undefined });
  await vi.waitFor(() => expect(said).toEqual(["Assistant is responding", "Response complete. The first and second."]));

  said.length = 0;
  step({ messages: [asked, whole, user("more")], status: "submitted" });
  const cut = assistant("cut");
  step({ messages: [asked, whole, user("more"), cut], status: "idle", stoppedMessageIds: [cut.id] });
  expect(said).toEqual(["Assistant is responding", "Response stopped"]);

  said.length = 0;
  step({ status: "submitted", stoppedMessageIds: [] });
  const limited = { ...assistant("so far"), metadata: { pageside: { status: "cut", reason: "length" } } } as typeof cut;
  step({ messages: [asked, whole, user("more"), limited], status: "idle" });
  const limit = "The answer was cut off: it reached the model's length limit.";
  await vi.waitFor(() => expect(said).toEqual(["Assistant is responding", `${limit} so far`]));

  said.length = 0;
  step({ status: "submitted" });
  step({ status: "error", error: { code: "network", message: "x", retryable: true } });
  expect(said).toEqual(["Assistant is responding", ""]);
  expect(screen.getByRole("alert").textContent).toContain("can't be reached");
});
