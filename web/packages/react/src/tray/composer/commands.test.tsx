import { commandsOf } from "@pageside/core";
import { waitForIdle } from "@pageside/testing";
import { act, cleanup, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { activeOption, echo, open, options, sentBy, watchDownloads } from "../../../test/harness.js";

const analyze = { command: "/analyze", description: "Analyze it", prompt: "Analyze the data" };
const explain = {
  command: "/explain",
  description: "Explain a field",
  argumentHint: "<field>",
  prompt: (field: string) => `Explain ${field}`,
};

const withCommands = (...commands: Parameters<ReturnType<typeof commandsOf>["register"]>[0][]) =>
  open([echo], (client) => commands.forEach((command) => commandsOf(client).register(command)));

describe("the list of commands", () => {
  it("is worked from the text field, which keeps its role, while it is open, in groups", async () => {
    const { keys, input } = await withCommands(analyze, { ...explain, group: "Fields" });
    await keys.keyboard("/");
    expect(screen.getByRole("textbox", { name: "Message" })).toBe(input);
    const list = screen.getByRole("listbox", { name: "Commands" });
    expect(input.getAttribute("aria-autocomplete")).toBe("list");
    expect(input.getAttribute("aria-controls")).toBe(list.id);
    expect(input.getAttribute("aria-activedescendant")).toBe(screen.getAllByRole("option")[0]!.id);
    expect(options()).toEqual(["/analyze", "/explain", "/help", "/new", "/export"]);
    expect(screen.getAllByRole("group", { name: /Fields|Conversation/ })).toHaveLength(2);
    expect(screen.getByText("5 results")).toBeTruthy();
    await keys.keyboard("{Escape}");
    expect(screen.queryByRole("listbox")).toBeNull();
    for (const name of ["role", "aria-autocomplete", "aria-controls", "aria-activedescendant"])
      expect(input.hasAttribute(name)).toBe(false);
    expect(input.value).toBe("/");
    expect(document.querySelector(".ps-tray")!.hasAttribute("inert")).toBe(false);
  });

  it("is worked by arrows, Home and End, and goes round", async () => {
    const { keys } = await withCommands(analyze);
    await keys.keyboard("/");
    expect(activeOption()).toContain("/analyze");
    await keys.keyboard("{ArrowDown}");
    expect(activeOption()).toContain("/help");
    await keys.keyboard("{End}");
    expect(activeOption()).toContain("/export");
    await keys.keyboard("{ArrowDown}");
    expect(activeOption()).toContain("/analyze");
    await keys.keyboard("{ArrowUp}");
    expect(activeOption()).toContain("/export");
    await keys.keyboard("{Home}");
    expect(activeOption()).toContain("/analyze");
    expect(screen.getAllByRole("option", { selected: true })).toHaveLength(1);
  });

  it("is filtered by letters in their order, and says where nothing fits", async () => {
    const { keys, input } = await withCommands(analyze, explain);
    await keys.keyboard("/xp");
    expect(options()).toEqual(["/explain", "/export"]);
    await keys.clear(input);
    await keys.keyboard("/nothing");
    expect(options()).toEqual([]);
    expect(screen.getAllByText(/No such command/)).toHaveLength(2);
    expect(input.hasAttribute("aria-activedescendant")).toBe(false);
  });

  it("completes by Tab, hints at the argument, and sends with it", async () => {
    const { keys, client, input } = await withCommands(explain);
    await keys.keyboard("/ex{Tab}");
    expect(input.value).toBe("/explain ");
    expect(document.activeElement).toBe(input);
    expect(document.querySelector(".ps-ghost-text")!.textContent).toContain("<field>");
    await keys.keyboard("s");
    expect(document.querySelector(".ps-ghost-text")).toBeNull();
    await keys.keyboard("tatus{Enter}");
    await waitForIdle(client);
    expect(sentBy(client)).toEqual(["Explain status"]);
  });

  it("completes by Tab a command that needs no argument, and does not run it", async () => {
    const { keys, client, input } = await withCommands(analyze);
    await keys.keyboard("/ana{Tab}");
    expect(input.value).toBe("/analyze ");
    expect(client.getSnapshot().status).toBe("idle");
    expect(sentBy(client)).toEqual([]);
  });

  it("Enter waits for the argument too", async () => {
    const { keys, client, input } = await withCommands(explain);
    await keys.keyboard("/ex{Enter}");
    expect(input.value).toBe("/explain ");
    expect(sentBy(client)).toEqual([]);
  });

  it.each([
    ["a command by its prompt", "/ana{Enter}", "Analyze the data"],
    [
      "what follows a prompt of text on a line of its own",
      "/analyze only today{Enter}",
      "Analyze the data\nonly today",
    ],
    ["the page's /help in place of the tray's", "/help{Enter}", "What can I do?"],
    ["a path as it is", "/var/log is full{Enter}", "/var/log is full"],
  ])("sends %s", async (_, typed, sent) => {
    const help = { command: "/help", description: "Ours", prompt: "What can I do?" };
    const { keys, client, input } = await withCommands(analyze, help);
    await keys.keyboard(typed);
    await waitForIdle(client);
    expect(sentBy(client)).toEqual([sent]);
    expect(input.value).toBe("");
  });

  it("can be opened and used with the pointer", async () => {
    const { keys, client, input } = await withCommands(analyze);
    await keys.click(screen.getByRole("button", { name: "Commands (/)" }));
    expect(document.activeElement).toBe(input);
    await keys.click(screen.getByRole("option", { name: /analyze/ }));
    await waitForIdle(client);
    expect(sentBy(client)).toEqual(["Analyze the data"]);
  });

  it("follows what the page registers", async () => {
    const { keys, client } = await withCommands();
    await keys.keyboard("/");
    const undo = commandsOf(client).register(analyze);
    await waitFor(() => expect(options()).toContain("/analyze"));
    act(undo);
    await waitFor(() => expect(options()).not.toContain("/analyze"));
  });
});

it("runs a handler in place of sending, and shows what it throws", async () => {
  const handler = vi.fn().mockResolvedValueOnce("ok").mockRejectedValueOnce(new Error("The table is gone."));
  const { keys, client, input } = await withCommands({ command: "/refresh", description: "Load again", handler });
  await keys.keyboard("/refresh now{Enter}");
  expect(handler).toHaveBeenLastCalledWith("now");
  expect(input.value).toBe("");
  await keys.keyboard("/refresh{Enter}");
  expect((await screen.findByRole("alert")).textContent).toContain("The table is gone.");
  expect(input.value).toBe("/refresh");
  await keys.click(screen.getByRole("button", { name: "Dismiss" }));
  expect(screen.queryByRole("alert")).toBeNull();
  expect(sentBy(client)).toEqual([]);
});

describe("the tray's own commands", () => {
  it("/help tells without a model what can be done here", async () => {
    const { keys, client, input, agent } = await open([echo], (client) => {
      commandsOf(client).register(explain);
      client.registerTool({ name: "set_time_range", description: "Sets the time range", handler: () => "ok" });
      client.registerContext({ id: "page", kind: "page", description: "The page", value: {} });
    });
    await keys.keyboard("/help{Enter}");
    const help = screen.getByRole("dialog", { name: "What I can do here" });
    expect(document.activeElement).toBe(help);
    for (const text of ["Set time range", "Sets the time range", "The page", "/explain <field>", "/help"])
      expect(help.textContent).toContain(text);
    await keys.keyboard("{Escape}");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(document.activeElement).toBe(input);
    expect(agent.inputs).toEqual([]);
    expect(sentBy(client)).toEqual([]);
  });

  it("/new begins another thread, /stop is there while an answer is written", async () => {
    const { keys, client } = await withCommands();
    const stop = vi.spyOn(client, "stop");
    const before = client.getSnapshot().threadId;
    await keys.keyboard("/stop");
    expect(options()).toEqual([]);
    await keys.keyboard("{Backspace>5/}/new{Enter}");
    expect(client.getSnapshot().threadId).not.toBe(before);
    expect(stop).not.toHaveBeenCalled();
  });

  it("/export saves the conversation as Markdown", async () => {
    const { keys, client } = await withCommands();
    await keys.keyboard("hello{Enter}");
    await waitForIdle(client);
    const downloads = watchDownloads();
    await keys.keyboard("/export{Enter}");
    await waitFor(() => expect(downloads).toHaveLength(1));
    expect(downloads[0]!.name).toMatch(/\.md$/);
    const text = await downloads[0]!.text;
    expect(text).toContain("hello");
    expect(text).toContain("You said: hello");
  });
});

describe("a command nobody knows", () => {
  it("becomes a shortcut, is sent, and is there the next time", async () => {
    const { keys, client, input } = await withCommands();
    await keys.keyboard("/debug Debug the log{Enter}");
    expect(sentBy(client)).toEqual([]);
    expect(screen.getByRole("alert").textContent).toBe("Save /debug as a shortcut for this prompt?");
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Save and send" }));
    await keys.keyboard("{Enter}");
    await waitForIdle(client);
    expect(sentBy(client)).toEqual(["Debug the log"]);
    expect(document.activeElement).toBe(input);
    await keys.keyboard("/deb");
    expect(screen.getByRole("option").textContent).toContain("Debug the log");
    await keys.keyboard("{Enter}");
    await waitForIdle(client);
    expect(sentBy(client)).toEqual(["Debug the log", "Debug the log"]);
    cleanup();
    await (await withCommands()).keys.keyboard("/deb");
    expect(options()).toEqual(["/debug"]);
  });

  it("is sent once, or not at all", async () => {
    const { keys, client, input } = await withCommands();
    await keys.keyboard("/debug it{Enter}");
    await keys.click(screen.getByRole("button", { name: "Cancel" }));
    expect(input.value).toBe("/debug it");
    expect(document.activeElement).toBe(input);
    await keys.keyboard("{Enter}");
    await keys.click(screen.getByRole("button", { name: "Send once" }));
    await waitForIdle(client);
    expect(sentBy(client)).toEqual(["it"]);
    expect(commandsOf(client).find("/debug")).toBeUndefined();
  });

  it("without a text can be sent as it is, and Escape leaves it", async () => {
    const { keys, client, input } = await withCommands();
    await keys.keyboard("/foo{Enter}");
    expect(screen.getByRole("alert").textContent).toBe("There is no command /foo.");
    await keys.keyboard("{Escape}");
    expect(document.activeElement).toBe(input);
    await keys.keyboard("{Enter}{Enter}");
    await waitForIdle(client);
    expect(sentBy(client)).toEqual(["/foo"]);
  });

  it("is removed by the Delete key or its button, and only where the user made it", async () => {
    const { keys, client, input } = await withCommands(analyze);
    for (const command of ["/one", "/two"])
      act(() => void commandsOf(client).register({ command, description: "x", prompt: "x", custom: true }));
    await keys.keyboard("/");
    await keys.keyboard("{Delete}");
    expect(options()).toContain("/analyze");
    await keys.keyboard("{ArrowDown}{Delete}");
    await waitFor(() => expect(options()).not.toContain("/one"));
    await keys.click(screen.getByTitle("Remove /two"));
    await waitFor(() => expect(options()).not.toContain("/two"));
    expect(JSON.parse(localStorage.getItem("pageside:commands")!)).toEqual([]);
    expect(input.value).toBe("/");
  });
});
