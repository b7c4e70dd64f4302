import { createPagesideClient, type Message } from "@pageside/core";
import { shareThread } from "@pageside/core/server";
import { scriptedAgent, type Rule } from "@pageside/testing";
import { act, configure, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { useAssistantAction } from "../../hooks/useAssistantAction.js";
import { usePayload } from "../../hooks/usePayload.js";
import type { AssistantTrayProps } from "../types.js";
import { drawTray } from "../../../test/harness.js";

configure({ asyncUtilTimeout: 10_000 });

beforeEach(() => {
  history.replaceState({ kept: 1 }, "", "/orders?id=7#late");
});

const messages = [
  { id: "u1", role: "user", content: "Which are late?" },
  {
    id: "a1",
    role: "assistant",
    content: "",
    toolCalls: [
      { id: "c1", type: "function", function: { name: "find_orders", arguments: '{"status":"late and secret"}' } },
    ],
  },
  { id: "r1", role: "tool", toolCallId: "c1", content: '["secret"]' },
  { id: "a2", role: "assistant", content: "**Two** of them." },
  { id: "p1", role: "activity", activityType: "order_change", content: { to: "express" } },
  {
    id: "p2",
    role: "activity",
    activityType: "order_change",
    content: { to: "slow" },
    metadata: { pageside: { status: "dismissed" } },
  },
  {
    id: "x1",
    role: "activity",
    activityType: "pageside_action",
    content: { action: "ship", label: "Ship it", status: "failed", text: "No ship." },
  },
] as unknown as Message[];

const rules: readonly Rule[] = [{ reply: "Of course." }];

/** A server with the thread `t1`, and the owner's client. */
function setUp() {
  const agent = scriptedAgent(rules, { threads: [{ id: "t1", title: "Late orders", messages }] });
  const owner = createPagesideClient({ fetch: agent.fetch, threadId: "t1" });
  return { agent, owner, keys: userEvent.setup() };
}

function Handlers() {
  useAssistantAction({
    name: "find_orders",
    description: "Finds orders",
    available: "disabled",
    render: () => "drawn by the page",
  });
  usePayload("order_change", { accept: () => {}, dismiss: () => {}, undo: () => {} });
  return null;
}

function show(client: ReturnType<typeof createPagesideClient>, props: AssistantTrayProps = {}, isOpen = true) {
  return drawTray(client, { ...props, page: <Handlers />, isOpen });
}

const dialog = (name: string) => screen.findByRole("dialog", { name });
const named = (name: string) => screen.getByRole("button", { name });
const input = () => document.querySelector<HTMLTextAreaElement>(".ps-input")!;
const toast = () => document.querySelector(".ps-toast")!.textContent;

async function openMenu(keys: ReturnType<typeof userEvent.setup>) {
  await screen.findByText("Which are late?");
  await keys.click(named("More"));
  return screen.findByRole("menu");
}

async function openPanel(keys: ReturnType<typeof userEvent.setup>) {
  await openMenu(keys);
  await keys.click(await screen.findByRole("menuitem", { name: "Share…" }));
  return dialog("Share conversation");
}

describe("the owner", () => {
  it("makes a link for a while, copies it, and revokes it", async () => {
    const { agent, owner, keys } = setUp();
    show(owner);
    const panel = await openPanel(keys);
    await within(panel).findByText(
      /Everybody who is signed in here .* as it is now; later messages are not part of it\./,
    );
    const lasts = within(panel).getByRole("combobox", { name: "The link works for" });
    expect(lasts).toHaveProperty("value", "30");
    await keys.selectOptions(lasts, "7 days");
    await keys.click(named("Create link"));
    const copy = await screen.findByRole("button", { name: "Copy link" });
    expect(document.activeElement).toBe(copy);
    expect(agent.requests.at(-1)).toEqual({
      method: "POST",
      path: "/v1/threads/t1/shares",
      body: { expiresIn: 7 * 86_400 },
    });
    const link = `${location.origin}/orders?id=7&pageside-shared=token-1#late`;
    expect(screen.getByRole("textbox", { name: "New link" })).toHaveProperty("value", link);
    await keys.keyboard("{Enter}");
    await waitFor(() => expect(toast()).toBe("Copied"));
    expect(await navigator.clipboard.readText()).toBe(link);
    const links = screen.getByRole("region", { name: "Links to this conversation" });
    within(links).getByText("A revoked link stops working at once and cannot be restored.");
    const week = new Date(Date.now() + 7 * 86_400_000).toLocaleDateString("en", { dateStyle: "long" });
    within(links).getByText(`Works until ${week}`);
    await keys.click(within(links).getByRole("button", { name: /^Revoke: created on .*, Works until / }));
    await waitFor(() => expect(toast()).toBe("Link revoked"));
    expect(screen.queryByRole("region", { name: "Links to this conversation" })).toBeNull();
    expect(screen.queryByRole("textbox", { name: "New link" })).toBeNull();
    expect(document.activeElement).toBe(panel);
    await keys.keyboard("{Escape}");
    expect(screen.queryByRole("dialog", { name: "Share conversation" })).toBeNull();
    expect(document.activeElement).toBe(named("More"));
  });

  it("sees the links from before, and is told in words what failed", async () => {
    const { agent, owner, keys } = setUp();
    await shareThread(owner, "t1");
    const refuse = vi.fn<typeof fetch>(agent.fetch);
    const client = createPagesideClient({ fetch: (...asked) => refuse(...asked), threadId: "t1" });
    show(client);
    await openPanel(keys);
    await screen.findByText(/^Works until /);
    expect(screen.queryByRole("textbox", { name: "New link" })).toBeNull();
    for (const [code, words] of [
      ["thread_busy", "An answer is still being written. Share the conversation when it is complete."],
      ["too_many_shares", "This conversation has too many links. Revoke one first."],
      ["not_permitted", "You are not permitted to share conversations."],
      ["internal", "Something went wrong on the server."],
    ] as const) {
      refuse.mockResolvedValueOnce(Response.json({ error: { code, message: "No." } }, { status: 409 }));
      await keys.click(named("Create link"));
      await waitFor(() => expect(screen.getByRole("alert").textContent).toBe(words));
    }
    refuse.mockRejectedValueOnce(new TypeError("offline"));
    await keys.click(screen.getByRole("button", { name: /^Revoke/ }));
    await waitFor(() => expect(screen.getByRole("alert")).toBeDefined());
    screen.getByText(/^Works until /);
  });

  it("is offered it only where the server shares", async () => {
    const { agent, keys } = setUp();
    const fetch: typeof globalThis.fetch = async (url, init) =>
      String(url).endsWith("/capabilities")
        ? Response.json({ custom: { pageside: { sharing: false } } })
        : agent.fetch(url, init);
    const client = createPagesideClient({ fetch, threadId: "t1" });
    show(client);
    await waitFor(() => expect(client.getSnapshot().sharing).toBe(false));
    const menu = await openMenu(keys);
    within(menu).getByText("Copy as Markdown");
    expect(within(menu).queryByText("Share…")).toBeNull();
  });
});

/** Opens the page with the link, as another person. */
async function follow(token: string, { agent }: ReturnType<typeof setUp>, isOpen = false) {
  history.replaceState({ kept: 1 }, "", `/orders?id=7&pageside-shared=${token}#late`);
  const client = createPagesideClient({ fetch: agent.fetch });
  show(client, {}, isOpen);
  return client;
}

const address = () => `${location.pathname}${location.search}${location.hash}`;

describe("a reader", () => {
  it("gets the conversation to read and nothing else, until it is closed", async () => {
    const world = setUp();
    const { token } = await shareThread(world.owner, "t1");
    const client = await follow(token, world);
    const panel = await dialog("Late orders");
    expect(document.querySelector<HTMLElement>(".ps-root")!.dataset.open).toBe("true");
    expect(panel.contains(document.activeElement)).toBe(true);
    const today = new Date().toLocaleDateString("en", { dateStyle: "long" });
    expect(within(panel).getByRole("status").textContent).toBe(`Shared on ${today}, read only`);
    await within(panel).findByText("Two");
    within(panel).getByText("Which are late?");
    expect(await within(panel).findAllByText("To read only: this page cannot apply it.")).toHaveLength(1);
    await within(panel).findByText("Ship it");
    // the call, and the action: rows that do not open
    expect(within(panel).getByText("Find orders").closest("button")).toBeNull();
    expect(within(panel).queryByText("drawn by the page")).toBeNull();
    await within(panel).findByRole("button", { name: "Copy message" });
    const buttons = within(panel).getAllByRole("button");
    expect(buttons.map(({ ariaLabel, textContent }) => ariaLabel ?? textContent)).toEqual([
      "Back",
      "Order change: dismissed",
      "Copy message",
      "Start your own conversation",
    ]);
    expect(panel.textContent).not.toContain("secret");
    expect(within(panel).queryByRole("textbox")).toBeNull();
    expect(client.getSnapshot().messages).toEqual([]);
    expect(address()).toBe(`/orders?id=7&pageside-shared=${token}#late`);
    await world.keys.keyboard("{Escape}");
    expect(screen.queryByRole("dialog", { name: "Late orders" })).toBeNull();
    expect(address()).toBe("/orders?id=7#late");
    expect(history.state).toEqual({ kept: 1 });
    expect(document.activeElement).toBe(input());
  });

  it("stays inside with Tab, and begins a conversation of their own", async () => {
    const world = setUp();
    const { token } = await shareThread(world.owner, "t1");
    const client = await follow(token, world, true);
    const panel = await dialog("Late orders");
    await within(panel).findByRole("button", { name: "Copy message" });
    act(() => panel.focus());
    await world.keys.tab({ shift: true });
    expect(document.activeElement).toBe(named("Start your own conversation"));
    await world.keys.tab();
    expect(document.activeElement).toBe(named("Back"));
    await world.keys.click(named("Start your own conversation"));
    expect(document.activeElement).toBe(input());
    expect(address()).toBe("/orders?id=7#late");
    expect(client.getSnapshot().threadId).not.toBe("t1");
    await world.keys.type(input(), "Mine{Enter}");
    await screen.findByText("Of course.");
    expect(world.agent.inputs.at(-1)!.messages.map(({ content }) => content)).toEqual(["Mine"]);
  });

  it("finds it open again after the tray was closed", async () => {
    const world = setUp();
    const { token } = await shareThread(world.owner, "t1");
    await follow(token, world);
    const panel = await dialog("Late orders");
    const shortcut = { key: "/", ctrlKey: true };
    fireEvent.keyDown(document.activeElement!, shortcut);
    expect(document.querySelector<HTMLElement>(".ps-root")!.dataset.open).toBeUndefined();
    expect(address()).toContain(token);
    fireEvent.keyDown(document.body, shortcut);
    expect(document.activeElement).toBe(panel);
  });

  it("leaves the conversation that was open", async () => {
    const world = setUp();
    const { token } = await shareThread(world.owner, "t1");
    history.replaceState(null, "", `/?pageside-shared=${token}`);
    show(world.owner);
    await dialog("Late orders");
    await world.keys.click(await screen.findByRole("button", { name: "Start your own conversation" }));
    await waitFor(() => expect(world.owner.getSnapshot().messages).toEqual([]));
  });

  it("is told that a link has ended, and to close it", async () => {
    const world = setUp();
    await follow("none", world);
    const panel = await dialog("Shared conversation");
    const problem = await within(panel).findByRole("alert");
    expect(problem.textContent).toBe("This link has expired or was revoked.");
    expect(within(panel).queryByRole("button", { name: "Retry" })).toBeNull();
    await world.keys.click(named("Back"));
    expect(address()).toBe("/orders?id=7#late");
  });

  it.each([
    [401, "unauthenticated", "Sign in first to read this conversation."],
    [403, "not_permitted", "You are not permitted to read shared conversations."],
    [403, "forbidden_origin", "The conversation could not be loaded."],
    [500, "internal", "The conversation could not be loaded."],
  ])("is told what is wrong at status %i %s, and tries again", async (status, code, words) => {
    const world = setUp();
    const { token } = await shareThread(world.owner, "t1");
    let isRefused = true;
    const fetch: typeof globalThis.fetch = async (url, init) =>
      isRefused && String(url).includes("/shared/")
        ? Response.json({ error: { code, message: "No." } }, { status })
        : world.agent.fetch(url, init);
    await follow(token, { ...world, agent: { ...world.agent, fetch } });
    expect((await screen.findByText(words)).closest("[role=alert]")).not.toBeNull();
    isRefused = false;
    fireEvent.click(named("Retry"));
    await dialog("Late orders");
  });
});
