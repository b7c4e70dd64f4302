// What asks before it runs, in the tray: actions of the page, and what the user allowed for good.
import { uiActionsOf } from "@pageside/context-provider/ui-actions";
import { createPagesideClient, commandsOf, type PagesideClient } from "@pageside/core";
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { answer, calls } from "../../../../core/test/events.js";
import { json, TestServer } from "../../../../core/test/server.js";
import { drawTray, openSees } from "../../../test/harness.js";

interface Visit {
  open?: boolean;
  /** Where the tray is drawn; default in the page. */
  container?: HTMLElement;
}

/** One visit of the page: what was there before is gone, but for what the tab keeps. */
function visit({ open = true, container }: Visit = {}) {
  cleanup();
  const server = new TestServer();
  server.routes.set("/v1/agents/default/capabilities", () => json({}));
  const client = createPagesideClient({ url: "https://test", fetch: server.fetch });
  drawTray(client, { isOpen: open }, container);
  return { server, client, keys: userEvent.setup() };
}

const parameters = { type: "object", properties: { n: { type: "number" } } };

/** A tool that asks, and what it ran with. */
function tool(client: PagesideClient) {
  const ran: unknown[] = [];
  const handler = ({ n }: { n: number }) => ran.push(n);
  client.registerTool({ name: "drop_rows", description: "", parameters, requiresConfirmation: true, handler });
  return ran;
}

let run = 0;
function callOf(server: TestServer, n: number) {
  server.onRun(calls([`call-${++run}`, "drop_rows", { n }])).onRun(answer("done", `answer-${run}`));
}

const ALWAYS = "Always in this tab";
const card = (name = "Run “Drop rows”?") => screen.findByRole("group", { name });
const press = async (keys: ReturnType<typeof userEvent.setup>, name: string) =>
  keys.click(within(await card()).getByRole("button", { name }));

/** Asks, and allows it for good: the button says what that is. */
async function allow() {
  const page = visit();
  const ran = tool(page.client);
  callOf(page.server, 1);
  let sent!: Promise<void>;
  act(() => void (sent = page.client.send("go")));
  await press(page.keys, "Allow always");
  const button = within(await card()).getByRole("button", { name: ALWAYS });
  const hint = document.getElementById(button.getAttribute("aria-describedby") ?? "");
  expect(hint?.textContent).toBe("Only for exactly this: Drop rows, with these details, until the tab is closed.");
  await page.keys.click(button);
  await act(() => sent);
  expect(ran).toEqual([1]);
  return page;
}

it("shows in “What the assistant sees” what runs without asking, and takes it back there", async () => {
  const { keys } = await allow();
  await openSees(keys);
  const list = await screen.findByRole("region", { name: "Runs without asking" });
  expect(list.textContent).toContain("Drop rowsN1until this tab is closed");
  await keys.click(within(list).getByRole("button", { name: "Ask again: Drop rows" }));
  expect(screen.queryByRole("region", { name: "Runs without asking" })).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole("dialog", { name: "What the assistant sees" }));
  expect(Object.keys(sessionStorage).filter((key) => key.includes("allowed"))).toEqual([]);

  const { server, client, keys: next } = visit();
  tool(client);
  callOf(server, 1);
  let sent!: Promise<void>;
  act(() => void (sent = client.send("again")));
  await press(next, "Deny");
  await act(() => sent);
});

// ------------------------------------------------------------------ actions of the page

function action(client: PagesideClient) {
  const ran: unknown[] = [];
  const actions = uiActionsOf(client);
  actions.registerAction<{ n: number }>({
    id: "drop_rows",
    type: "menu",
    getDisplayName: () => "Drop rows",
    parameters,
    command: { command: "/drop" },
    requiresConfirmation: ({ n }) => `Drop ${n} rows?`,
    execute: ({ n }) => ran.push(n),
  });
  const start = (n: number) => {
    let done!: Promise<unknown>;
    act(() => void (done = actions.executeTriggerActions("menu", { actionId: "drop_rows", args: { n } })));
    return done;
  };
  return { ran, start };
}

it("opens for what a trigger asks, and runs it as the user changed it", async () => {
  const { client, keys } = visit({ open: false });
  const { ran, start } = action(client);
  const done = start(3);
  const question = within(await card("Drop 3 rows?"));
  expect(screen.getByRole("complementary").hasAttribute("inert")).toBe(false);
  await keys.click(question.getByRole("button", { name: "Edit" }));
  await keys.clear(question.getByRole("textbox", { name: "N" }));
  await keys.type(question.getByRole("textbox", { name: "N" }), "2");
  await keys.click(question.getByRole("button", { name: "Approve" }));
  await act(() => done);
  expect(ran).toEqual([2]);
  await waitFor(() => expect(screen.queryByRole("group", { name: "Drop 3 rows?" })).toBeNull());
});

it("asks for a command where the user is, with its keys", async () => {
  const { client, keys } = visit();
  const { ran } = action(client);
  const box = screen.getByRole("textbox", { name: "Message" });
  await waitFor(() => expect(commandsOf(client).find("/drop")).toBeTruthy());
  await keys.click(box);
  await screen.findByRole("button", { name: "Add files" });
  await keys.type(box, "/drop 4{Enter}");
  const question = await card("Drop 4 rows?");
  await waitFor(() => expect(question.contains(document.activeElement)).toBe(true));
  await keys.keyboard("{Enter}"); // once too often: nothing is approved by it
  expect(ran).toEqual([]);
  await keys.keyboard("a");
  await waitFor(() => expect(ran).toEqual([4]));
  expect(document.activeElement).toBe(box);
});

it("takes the focus of the message box in a shadow root, too", async () => {
  const host = document.body.appendChild(document.createElement("div"));
  const container = host.attachShadow({ mode: "open" }).appendChild(document.createElement("div"));
  const { client } = visit({ container });
  const { start } = action(client);
  await waitFor(() => expect(container.querySelector("textarea")).toBeTruthy());
  container.querySelector("textarea")!.focus();
  const done = start(5).catch(() => undefined);
  await waitFor(() => expect((container.getRootNode() as ShadowRoot).activeElement?.closest(".ps-queue")).toBeTruthy());
  const deny = [...container.querySelectorAll("button")].find(({ textContent }) => textContent === "Deny");
  act(() => deny!.click());
  await act(() => done);
});

it("runs an allowed action without opening the tray", async () => {
  const page = visit();
  const first = action(page.client);
  const done = first.start(1);
  const question = within(await card("Drop 1 rows?"));
  await page.keys.click(question.getByRole("button", { name: "Allow always" }));
  await page.keys.click(question.getByRole("button", { name: ALWAYS }));
  await act(() => done);
  localStorage.clear(); // where the tray remembers that it was open

  const { client } = visit({ open: false });
  const { ran, start } = action(client);
  const again = start(1);
  await act(() => again);
  expect(ran).toEqual([1]);
  expect(document.querySelector(".ps-tray")!.hasAttribute("inert")).toBe(true);
});
