import { createPagesideClient, registerPlugin } from "@pageside/core";
import { act, cleanup, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AssistantProvider } from "../../provider.js";
import { AssistantTray } from "../AssistantTray.js";
import { type AssistantTrayProps } from "../types.js";

beforeEach(() => localStorage.clear());
afterEach(cleanup);

const nothing: typeof fetch = () => Promise.resolve(new Response("{}", { status: 404 }));

async function open(props: AssistantTrayProps = {}) {
  const client = createPagesideClient({ fetch: nothing });
  const value = { rows: "a".repeat(100) };
  client.setPlace({ page: "orders", tab: "late", scope: { customer: "7" } });
  client.registerContext({ id: "rows", description: "The rows", kind: "dynamic", value: () => value.rows, source: "table" }); // prettier-ignore
  registerPlugin(client, { id: "table", name: "Table" });
  client.registerContext({ id: "pick", description: "The picked rows", kind: "selection", label: "@pick", auto: false, value: [1, 2] }); // prettier-ignore
  client.registerContext({ id: "none", description: "Not there yet", kind: "dynamic", value: () => undefined });
  client.registerTool({
    name: "sort_rows",
    description: "Sorts the rows.",
    parameters: { type: "object", properties: { by: { type: "string" } } },
    handler: () => "done",
  });
  client.registerInstructions({ id: "tone", text: "Be brief." });
  const keys = userEvent.setup();
  render(
    <AssistantProvider client={client} defaultOpen>
      <AssistantTray {...props} />
    </AssistantProvider>,
  );
  await keys.click(screen.getByRole("button", { name: "More" }));
  await keys.click(await screen.findByRole("menuitem", { name: "What the assistant sees" }));
  await screen.findByRole("meter");
  return { client, keys, value };
}

const part = (name: string) => screen.getByRole("region", { name });
const row = (name: RegExp) => screen.getByRole("button", { name });

it("says where the user is, and of every entry what it is and when it is sent", async () => {
  await open();
  expect(part("Where you are").textContent).toBe("Where you arePageordersTablateAboutcustomer 7");
  const told = [...part("On this page").querySelectorAll(".ps-seen-text")].map(({ textContent }) => textContent);
  expect(told).toEqual([
    "The rowsLive data · from Table · Always sent · 27 tokens",
    "@pickSelection · Only when mentioned · 5 tokens",
    "Not there yetLive data · Always sent",
  ]);
  expect(screen.getByRole("meter").getAttribute("aria-valuetext")).toBe("About 27 of 1,500 tokens");
});

it("shows exactly what would be sent", async () => {
  const { keys } = await open();
  await keys.click(row(/^@pick/));
  expect(screen.getByRole("group", { name: "@pick" }).textContent).toBe("[1,2]");
  await keys.click(row(/^Not there yet/));
  expect(screen.getByText(/has no value at the moment/)).toBeTruthy();
  await keys.click(row(/^sort_rows/));
  expect(JSON.parse(screen.getByRole("group", { name: "Arguments" }).textContent)).toEqual({
    type: "object",
    properties: { by: { type: "string" } },
  });
});

it("switches things off, for the next request too, and counts them out", async () => {
  const { client, keys } = await open();
  await keys.click(screen.getByRole("switch", { name: "Send: The rows" }));
  await screen.findByText("About 0 of 1,500 tokens");
  expect(client.getContext().map(({ id }) => id)).toEqual([]);
  await keys.click(screen.getByRole("switch", { name: "Send: sort_rows" }));
  await keys.click(screen.getByRole("switch", { name: "Send: Be brief." }));
  expect(client.getTools()).toEqual([]);
  await screen.findByText("0 with tools and instructions");
  await keys.click(screen.getByRole("switch", { name: "Send: The rows" }));
  await screen.findByText("About 27 of 1,500 tokens");
  expect(client.getContext().map(({ id }) => id)).toEqual(["rows"]);
});

it("follows the page: what is registered, and what the page says has changed", async () => {
  const { client, value } = await open({ contextBudget: 50 });
  value.rows = "b".repeat(400);
  act(() => client.pageChanged());
  await screen.findByText("About 102 of 50 tokens");
  expect(screen.getByText(/the longest values are shortened/)).toBeTruthy();
  act(() => void client.registerContext({ id: "new", description: "Chart", kind: "dynamic", value: "x" }));
  await waitFor(() => expect(within(part("On this page")).getAllByRole("switch")).toHaveLength(4));
});

it("opens by a key, closes by Escape, and gives the focus back", async () => {
  const { keys } = await open();
  await keys.keyboard("{Escape}");
  const input = screen.getByRole("textbox", { name: "Message" });
  act(() => input.focus());
  await keys.keyboard("{Control>}.{/Control}");
  expect(await screen.findByRole("dialog", { name: "What the assistant sees" })).toBeTruthy();
  await keys.keyboard("{Escape}");
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(document.activeElement).toBe(input);
});
