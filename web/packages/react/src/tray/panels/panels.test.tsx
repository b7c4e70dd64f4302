import type { ThreadSnapshot } from "@pageside/core";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { assistant, user } from "../../../dev/fakeClient.js";
import { offerUndoWithoutEnd } from "../../../dev/undo.js";
import { useAssistant } from "../../hooks/useAssistant.js";
import type { AssistantTrayProps } from "../types.js";
import { answerMedia, button, missing, showTray, watchDownloads } from "../../../test/harness.js";

const talk: Partial<ThreadSnapshot> = { title: "Late orders", messages: [user("Which?"), assistant("These.")] };

function show(props: AssistantTrayProps = {}, thread = talk, isOpen = true) {
  const Told = () => <output>{String(useAssistant().isOpen)}</output>;
  return showTray(thread, { ...props, page: <Told />, isOpen });
}

const root = () => document.querySelector<HTMLElement>(".ps-root")!;
const tray = () => document.querySelector<HTMLElement>(".ps-tray")!;
const inset = () => document.documentElement.style.getPropertyValue("--ps-tray-inset");
const input = () => screen.getByRole("textbox", { name: "Message" });
const more = () => button("More");

async function pick(keys: ReturnType<typeof show>["keys"], name: string) {
  await keys.click(more());
  await keys.click(await screen.findByText(name, { selector: "[role^=menuitem]" }));
}

describe("the menu", () => {
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
    await keys.click(button("Undo"));
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
    await screen.findByText("Copied");
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

  // prettier-ignore
  it.each<[string, object, AssistantTrayProps, [layout: string, inset: string, open?: string]]>([
    ["are the host's over the page, where the user once docked", { layout: "docked" }, { layout: "overlay" },
      ["overlay", "0px", "true"]],
    ["do not greet a visitor over the whole window", { layout: "full", open: true }, {}, ["full", "0px", undefined]],
    ["ignore an unknown memory", { layout: "floating" }, { density: "compact" }, ["docked", "420px", "true"]],
  ])("%s", (_, remembered, props, expected) => {
    localStorage.setItem("pageside:tray", JSON.stringify(remembered));
    show(props, talk, expected[2] !== undefined);
    expect([root().dataset.layout, inset(), root().dataset.open]).toEqual(expected);
    expect(root().dataset.density).toBe(props.density ?? "cozy");
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
    missing("Close");
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
    await keys.click(more());
    await screen.findByRole("menu");
    expect(screen.queryByRole("menuitemradio")).toBeNull();
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
});
