import { act, cleanup, fireEvent, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { assistant, fakeClient, user, type FakeClient } from "../../dev/fakeClient.js";
import { useAssistant } from "../hooks/useAssistant.js";
import { composerEnglish } from "../labels/composerEnglish.js";
import { english } from "../labels/english.js";
import { german } from "../labels/german.js";
import { panelEnglish } from "../labels/panelEnglish.js";
import { type AssistantTrayProps } from "./types.js";
import { answerMedia, drawTray } from "../../test/harness.js";

function show(client: FakeClient, props: AssistantTrayProps = {}, open = true) {
  return drawTray(client, { ...props, page: <OpenButton />, isOpen: open });
}

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
const named = (client: FakeClient, name: string) => client.calls.filter(([called]) => called === name);

describe("open and closed", () => {
  it("is inert when closed and gives the focus back", async () => {
    const keys = userEvent.setup();
    show(fakeClient(), {}, false);
    expect(tray().hasAttribute("inert")).toBe(true);

    await keys.click(screen.getByRole("button", { name: "Open Assistant" }));
    expect(tray().hasAttribute("inert")).toBe(false);
    expect(document.activeElement).toBe(input());

    await keys.keyboard("{Escape}");
    expect(tray().hasAttribute("inert")).toBe(true);
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Open Assistant" }));

    await keys.click(screen.getByRole("button", { name: "Ask" }));
    await keys.click(screen.getByRole("button", { name: "Close" }));
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Ask" }));
  });

  it("has no button of its own where the page has one", () => {
    show(fakeClient(), { launcher: false }, false);
    expect(screen.queryByRole("button", { name: "Open Assistant" })).toBeNull();
  });

  it("goes with Ctrl+/ to the tray, its input, and away", async () => {
    const keys = userEvent.setup();
    show(fakeClient(), {}, false);
    await keys.keyboard("{Control>}/{/Control}");
    expect(document.activeElement).toBe(input());
    act(() => screen.getByRole("button", { name: "Ask" }).focus());
    await keys.keyboard("{Control>}/{/Control}");
    expect(document.activeElement).toBe(input());
    await keys.keyboard("{Control>}/{/Control}");
    expect(tray().hasAttribute("inert")).toBe(true);
  });

  it("is as the user left it at the next visit, without taking the focus", async () => {
    const keys = userEvent.setup();
    const first = show(fakeClient(), {}, false);
    await keys.click(screen.getByRole("button", { name: "Open Assistant" }));
    first.unmount();

    const second = show(fakeClient(), {}, false);
    expect(tray().hasAttribute("inert")).toBe(false);
    expect(document.activeElement).toBe(document.body);
    await keys.click(screen.getByRole("button", { name: "Close" }));
    second.unmount();

    show(fakeClient(), { defaultOpen: true }, false);
    expect(tray().hasAttribute("inert")).toBe(true);
  });

  it("opens at the first visit where the host says so", () => {
    show(fakeClient(), { defaultOpen: true }, false);
    expect(tray().hasAttribute("inert")).toBe(false);
  });

  it("tells the page its room by a variable and styles nothing of it", () => {
    const { unmount } = show(fakeClient());
    expect(document.documentElement.style.getPropertyValue("--ps-tray-inset")).toBe("420px");
    expect(document.documentElement.style).toHaveLength(1);
    expect(document.body.getAttribute("style")).toBeNull();
    expect(document.body.className).toBe("");
    fireEvent.click(screen.getByRole("button", { name: "Close" }));
    expect(document.documentElement.style.getPropertyValue("--ps-tray-inset")).toBe("0px");
    unmount();
    expect(document.documentElement.style).toHaveLength(0);
  });

  it("is a dialog over the page on small screens that keeps Tab inside", async () => {
    const keys = userEvent.setup();
    answerMedia((query) => query.includes("max-width"));
    show(fakeClient());
    expect(screen.getByRole("dialog", { name: "Assistant" }).getAttribute("aria-modal")).toBe("true");
    expect(document.documentElement.style.getPropertyValue("--ps-tray-inset")).toBe("0px");
    expect(screen.queryByRole("separator")).toBeNull();
    act(() => screen.getByRole("button", { name: "Send message" }).focus());
    await keys.tab();
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "History" }));
    await keys.tab({ shift: true });
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Send message" }));
  });
});

describe("the width", () => {
  const handle = () => screen.getByRole("separator", { name: "Resize the assistant" });
  const width = () => Number(handle().getAttribute("aria-valuenow"));

  it("changes by keys within its bounds and is remembered", async () => {
    vi.stubGlobal("innerWidth", 1000);
    const keys = userEvent.setup();
    const { unmount } = show(fakeClient());
    await screen.findByRole("separator");
    expect([width(), handle().ariaValueMin, handle().ariaValueMax]).toEqual([420, "340", "600"]);
    act(() => handle().focus());
    await keys.keyboard("{ArrowLeft}{ArrowLeft}");
    expect(width()).toBe(452);
    expect(document.documentElement.style.getPropertyValue("--ps-tray-inset")).toBe("452px");
    await keys.keyboard("{Home}{ArrowRight}");
    expect(width()).toBe(340);
    await keys.keyboard("{End}{ArrowLeft}");
    expect(width()).toBe(600);
    await keys.dblClick(handle());
    expect(width()).toBe(420);
    await keys.keyboard("{ArrowRight}");
    unmount();
    show(fakeClient());
    expect(width()).toBe(404);
  });

  it("is not taken from a broken memory", async () => {
    localStorage.setItem("pageside:tray", '{"width":"wide","open":7}');
    show(fakeClient());
    await screen.findByRole("separator");
    expect(width()).toBe(420);
  });
});

describe("an empty conversation", () => {
  it("greets with the page's name and sends an example question", () => {
    const client = fakeClient();
    show(client, { pageName: "Orders", suggestions: ["Which are late?"] });
    expect(screen.getByRole("heading", { name: "Ask about Orders" })).toBeTruthy();
    expect(screen.getByText("Orders").tagName).toBe("EM");
    fireEvent.click(screen.getByRole("button", { name: "Which are late?" }));
    expect(named(client, "send")).toEqual([["send", "Which are late?"]]);
  });

  it("says in words that a scripted model answers", () => {
    show(fakeClient());
    const badge = screen.getByText(/^Scripted demo model/);
    expect(badge.title).toContain("rules in a file");
    cleanup();
    show(fakeClient({ model: { name: "openai/gpt-5-mini", scripted: false } }));
    expect(screen.getByText(/^gpt-5-mini/)).toBeTruthy();
    expect(screen.queryByText(/Scripted/)).toBeNull();
  });

  it("has nothing to start over from", () => {
    const client = fakeClient();
    show(client);
    fireEvent.click(screen.getByRole("button", { name: "New conversation" }));
    expect(named(client, "newThread")).toHaveLength(0);
    act(() => client.show({ messages: [user("hi")] }));
    fireEvent.click(screen.getByRole("button", { name: "New conversation" }));
    expect(named(client, "newThread")).toHaveLength(1);
  });
});

it("speaks German, every text of it", () => {
  show(fakeClient({ messages: [user("hallo")], status: "submitted" }), { labels: german });
  expect(screen.getByText("Denkt nach")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Anhalten" })).toBeTruthy();
  const missing = Object.keys({ ...english, ...panelEnglish, ...composerEnglish }).filter((key) => !(key in german));
  expect(missing).toEqual([]);
});

it("announces each answer once, and errors by their card", async () => {
  const client = fakeClient();
  show(client);
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
