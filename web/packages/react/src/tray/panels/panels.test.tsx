import type { ThreadSnapshot } from "@pageside/core";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { assistant, fakeClient, user } from "../../../dev/fakeClient.js";
import { offerUndoWithoutEnd } from "../../../dev/undo.js";
import { useAssistant } from "../../hooks/useAssistant.js";
import { german } from "../../labels/german.js";
import type { AssistantTrayProps } from "../types.js";
import { answerMedia, drawTray, watchDownloads } from "../../../test/harness.js";

const talk: Partial<ThreadSnapshot> = { title: "Late orders", messages: [user("Which?"), assistant("These.")] };

function show(props: AssistantTrayProps = {}, snapshot = talk, open = true) {
  const client = fakeClient(snapshot);
  const keys = userEvent.setup();
  const Told = () => <output>{String(useAssistant().isOpen)}</output>;
  const view = drawTray(client, { ...props, page: <Told />, isOpen: open });
  const asked = (name: string) => client.calls.filter(([called]) => called === name).map(([, ...args]) => args);
  return { client, keys, asked, ...view };
}

const root = () => document.querySelector<HTMLElement>(".ps-root")!;
const tray = () => document.querySelector<HTMLElement>(".ps-tray")!;
const inset = () => document.documentElement.style.getPropertyValue("--ps-tray-inset");
const input = () => screen.getByRole("textbox", { name: "Message" });
const more = () => screen.getByRole("button", { name: "More" });

async function pick(keys: ReturnType<typeof userEvent.setup>, name: string) {
  await keys.click(more());
  await keys.click(await screen.findByText(name, { selector: "[role^=menuitem]" }));
}

describe("the menu", () => {
  it("tells what the conversation used, all models together, and nothing while nobody said", async () => {
    const { client, keys } = show();
    await keys.click(more());
    expect((await screen.findByRole("menu")).getAttribute("aria-describedby")).toBeNull();
    const models = [{ model: "a", inputTokens: 1000, cachedInputTokens: 800, outputTokens: 200 }, { model: "b", inputTokens: 234, outputTokens: 10 }]; // prettier-ignore
    act(() => client.show({ usage: models }));
    const line = screen.getByText("Tokens: 1,234 in (800 from cache) · 210 out");
    expect(screen.getByRole("menu").getAttribute("aria-describedby")).toBe(line.parentElement!.id);
    expect(german.usage?.(1234, 0, 210)).toBe("Tokens: 1.234 gelesen · 210 geschrieben");
  });

  it("is gone through by arrows, Home, End and letters, around both ends", async () => {
    const { keys } = show();
    act(() => more().focus());
    await keys.keyboard("{Enter}");
    await screen.findByRole("menu", { name: "More" });
    const at = () => document.activeElement?.textContent;
    expect([at(), more().getAttribute("aria-expanded")]).toEqual(["New conversation", "true"]);
    await keys.keyboard("{ArrowDown}");
    expect(at()).toBe("Rename");
    await keys.keyboard("{ArrowUp}{ArrowUp}");
    expect(at()).toBe("Delete conversation");
    await keys.keyboard("{ArrowDown}{End}");
    expect(at()).toBe("Delete conversation");
    await keys.keyboard("{Home}k");
    expect(at()).toBe("Keyboard shortcuts");
    await keys.keyboard("{Escape}");
    expect(screen.queryByRole("menu")).toBeNull();
    expect(document.activeElement).toBe(more());
    expect(root().dataset.open).toBe("true");
  });

  it("closes by a press beside it, and by its button", async () => {
    const { keys } = show();
    await keys.click(more());
    await screen.findByRole("menu");
    await keys.click(document.body);
    expect(screen.queryByRole("menu")).toBeNull();
    await keys.click(more());
    await screen.findByRole("menu");
    await keys.click(more());
    expect(screen.queryByRole("menu")).toBeNull();
  });

  it("has nothing to do with an empty conversation but to look and to arrange", async () => {
    const { keys, asked } = show({}, {});
    await keys.click(more());
    const off = (await screen.findAllByRole("menuitem")).filter(({ ariaDisabled }) => ariaDisabled === "true");
    expect(off.map(({ textContent }) => textContent)).toEqual([
      "New conversation",
      "Rename",
      "Export to Markdown",
      "Copy as Markdown",
      "Delete conversation",
    ]);
    for (const item of off) await keys.click(item);
    expect(asked("delete")).toEqual([]);
  });

  it("deletes the conversation, which can be undone", async () => {
    offerUndoWithoutEnd();
    const { keys, asked } = show();
    await pick(keys, "Delete conversation");
    await screen.findByText("“Late orders” deleted");
    expect([asked("delete"), asked("newThread")]).toEqual([[["t1"]], [[]]]);
    await keys.click(screen.getByRole("button", { name: "Undo" }));
    expect(asked("restore")).toEqual([["t1"]]);
  });

  it("stops the answer before it deletes", async () => {
    const { keys, client } = show({}, { ...talk, status: "streaming" });
    await pick(keys, "Delete conversation");
    await screen.findByText("“Late orders” deleted");
    const order = client.calls.map(([name]) => name).filter((name) => name === "stop" || name === "delete");
    expect(order).toEqual(["stop", "delete"]);
  });

  it("copies the conversation as Markdown, and says so", async () => {
    const { keys } = show();
    await pick(keys, "Copy as Markdown");
    await screen.findByText("Copied as Markdown");
    expect(await navigator.clipboard.readText()).toContain("# Late orders");
  });

  it("downloads the conversation", async () => {
    const { keys } = show();
    const downloads = watchDownloads();
    await pick(keys, "Export to Markdown");
    expect(downloads.map(({ name }) => name)).toEqual(["late-orders.md"]);
    expect((await downloads[0]!.text).length).toBeGreaterThan(50);
  });
});

describe("the title", () => {
  it("is renamed by double-click, by F2 in the header and from the menu", async () => {
    const { keys, asked } = show();
    const field = () => screen.findByRole("textbox", { name: "Name of the conversation" });
    await keys.dblClick(screen.getByRole("heading", { name: "Late orders" }));
    await field();
    await keys.keyboard("One{Enter}");
    await waitFor(() => expect(asked("rename")).toEqual([["t1", "One"]]));

    act(() => more().focus());
    await keys.keyboard("{F2}");
    await field();
    await keys.keyboard("Two{Escape}");
    expect(document.activeElement).toBe(more());

    await pick(keys, "Rename");
    await field();
    await keys.keyboard("Three");
    fireEvent.blur(await field());
    await waitFor(() => expect(asked("rename")).toEqual([["t1", "One"], ["t1", "Three"]])); // prettier-ignore
  });

  it("is whole for who points at it, and runs in the direction of its words", () => {
    const title = "Which recruiting trials have venetoclax as an intervention?";
    show({}, { ...talk, title });
    const heading = screen.getByRole("heading", { name: title });
    expect([heading.title, heading.dir]).toEqual([title, "auto"]);
  });

  it("is not renamed before there is a conversation", async () => {
    const { keys } = show({}, {});
    await keys.dblClick(screen.getByRole("heading", { name: "Assistant" }));
    act(() => more().focus());
    await keys.keyboard("{F2}");
    expect(screen.getByRole("heading", { name: "Assistant" })).toBeTruthy();
  });
});

describe("layouts", () => {
  it("are chosen by the user and remembered; only the docked one asks the page for room", async () => {
    const { keys, unmount } = show();
    expect([root().dataset.layout, inset()]).toEqual(["docked", "420px"]);
    await pick(keys, "Small window");
    expect([root().dataset.layout, inset(), tray().getAttribute("role")]).toEqual(["popup", "0px", "dialog"]);
    expect(tray().hasAttribute("aria-modal")).toBe(false);
    await keys.click(more());
    expect((await screen.findByRole("menuitemradio", { name: "Small window" })).getAttribute("aria-checked")).toBe(
      "true",
    );
    await keys.keyboard("{Escape}");
    await pick(keys, "Whole window");
    expect([root().dataset.layout, tray().getAttribute("aria-modal")]).toEqual(["full", "true"]);
    unmount();
    show();
    expect(root().dataset.layout).toBe("full");
  });

  it("over the page takes no room from it, and stays so where the user once chose to dock", () => {
    localStorage.setItem("pageside:tray", '{"layout":"docked"}');
    show({ layout: "overlay" });
    expect([root().dataset.layout, inset()]).toEqual(["overlay", "0px"]);
  });

  it("as a small window keeps the button, which closes it", async () => {
    const { keys } = show({ layout: "popup" });
    const button = document.querySelector<HTMLElement>(".ps-launcher")!;
    expect([button.ariaExpanded, button.ariaLabel]).toEqual(["true", "Close"]);
    await keys.click(button);
    expect(tray().hasAttribute("inert")).toBe(true);
  });

  it("in the page is always open, with nothing to close or to choose", async () => {
    localStorage.setItem("pageside:tray", '{"layout":"full","open":false}');
    const { keys } = show({ layout: "inline" }, talk, false);
    expect([root().dataset.layout, tray().getAttribute("role"), inset()]).toEqual(["inline", "region", "0px"]);
    expect(document.querySelector("output")!.textContent).toBe("true");
    expect(screen.queryByRole("button", { name: "Close" })).toBeNull();
    expect(document.querySelector(".ps-launcher")).toBeNull();
    act(() => input().focus());
    await keys.keyboard("{Escape}{Control>}/{/Control}");
    expect(tray().hasAttribute("inert")).toBe(false);
    await keys.click(more());
    await screen.findByRole("menu");
    expect(screen.queryByRole("menuitemradio")).toBeNull();
  });

  it("are not offered on small screens, where the tray is a sheet", async () => {
    answerMedia((query) => query.includes("max-width"));
    const { keys } = show({ layout: "popup" });
    expect(tray().getAttribute("aria-modal")).toBe("true");
    await keys.click(more());
    await screen.findByRole("menu");
    expect(screen.queryByRole("menuitemradio")).toBeNull();
  });

  it("over the whole window does not greet a visitor, though it was open at the last visit", () => {
    localStorage.setItem("pageside:tray", '{"layout":"full","open":true}');
    show({}, talk, false);
    expect([root().dataset.layout, root().dataset.open]).toEqual(["full", undefined]);
  });

  it("ignore what the memory does not know", () => {
    localStorage.setItem("pageside:tray", '{"layout":"floating"}');
    show({ density: "compact" });
    expect([root().dataset.layout, root().dataset.density]).toEqual(["docked", "compact"]);
  });
});

describe("keys", () => {
  it("go between conversation and message box", async () => {
    const { keys } = show();
    act(() => input().focus());
    await keys.keyboard("{F6}");
    expect(document.activeElement).toBe(screen.getByRole("log"));
    await keys.keyboard("{F6}");
    expect(document.activeElement).toBe(input());
  });

  it("close first what is on top, then stop, then close", async () => {
    const { keys, client, asked } = show({}, { ...talk, status: "streaming" });
    act(() => screen.getByRole("log").focus());
    await keys.keyboard("?");
    await screen.findByRole("dialog", { name: "Keyboard shortcuts" });
    await keys.keyboard("{Escape}");
    expect([screen.queryByRole("dialog"), asked("stop")]).toEqual([null, []]);
    await keys.keyboard("{Escape}");
    expect([asked("stop").length, root().dataset.open]).toEqual([1, "true"]);
    act(() => client.show({ status: "idle" }));
    await keys.keyboard("{Escape}");
    expect(root().dataset.open).toBeUndefined();
  });

  it("show their list, where they are not letters of a message", async () => {
    const { keys } = show({ shortcut: "Mod+Shift+K" });
    await keys.type(input(), "why?");
    expect(screen.queryByRole("dialog")).toBeNull();
    await keys.keyboard("{F6}?");
    expect((await screen.findByRole("dialog", { name: "Keyboard shortcuts" })).textContent).toContain("Ctrl+Shift+K");
  });

  it("can be others, or none", async () => {
    const first = show({ shortcut: "Mod+Shift+K" }, talk, false);
    await first.keys.keyboard("{Control>}/{/Control}{Control>}k{/Control}");
    expect(root().dataset.open).toBeUndefined();
    await first.keys.keyboard("{Control>}{Shift>}K{/Shift}{/Control}");
    expect(root().dataset.open).toBe("true");
    first.unmount();
    localStorage.clear();
    const second = show({ shortcut: false }, talk, false);
    await second.keys.keyboard("{Control>}/{/Control}");
    expect(root().dataset.open).toBeUndefined();
  });

  it("are the page's where the page takes them", async () => {
    const { keys } = show({}, talk, false);
    const take = (event: KeyboardEvent) => event.preventDefault();
    document.body.addEventListener("keydown", take);
    await keys.keyboard("{Control>}/{/Control}");
    document.body.removeEventListener("keydown", take);
    expect(root().dataset.open).toBeUndefined();
  });

  it("show the history", async () => {
    const { keys } = show();
    act(() => input().focus());
    await keys.keyboard("{Control>}{Shift>}H{/Shift}{/Control}");
    expect(await screen.findByRole("dialog", { name: "History" })).toBeTruthy();
  });
});
