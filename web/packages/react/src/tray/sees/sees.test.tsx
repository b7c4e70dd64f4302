import { createPagesideClient, registerPlugin } from "@pageside/core";
import type { Disclosure } from "@pageside/core/server";
import { act, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { type AssistantTrayProps } from "../types.js";
import { drawTray, openSees } from "../../../test/harness.js";

const nothing: typeof fetch = () => Promise.resolve(new Response("{}", { status: 404 }));

async function open(props: AssistantTrayProps = {}, fetch = nothing) {
  const client = createPagesideClient({ fetch });
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
  drawTray(client, props);
  await openSees(keys);
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
  await keys.click(row(/^Sort rows/));
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
  await keys.click(screen.getByRole("switch", { name: "Send: Sort rows" }));
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
  act(() => void client.pageChanged());
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

/** A server that discloses what it is asked for. */
const disclosing =
  (disclosed: (asked: { model?: string }) => Disclosure): typeof fetch =>
  (url, init) =>
    String(url).endsWith("/v1/disclosure")
      ? Promise.resolve(Response.json(disclosed(JSON.parse(String(init?.body)) as object)))
      : nothing(url, init);

const told: Disclosure = {
  agent: "default",
  models: [
    { name: "openai/gpt-5-mini", host: "api.openai.com", uses: ["now"] },
    { name: "ollama/qwen3", private: true, uses: ["reserve", "choice"] },
    { name: "script/demo", scripted: true, uses: ["choice"] },
    { name: "mistral/small", host: "api.mistral.ai", uses: ["choice_reserve"] },
  ],
  tools: [
    {
      name: "delete_alert",
      description: "Deletes an alert. It is gone.",
      effect: "destructive",
      approval: "always",
      tokens: 12,
    },
    { name: "web_search", description: "Searches.", effect: "exfil", approval: "never", host: "api.search.com", tokens: 7 }, // prettier-ignore
    { name: "read_result", description: "Reads on.", effect: "read", approval: "never", when: "a result was cut", builtIn: true, tokens: 30 }, // prettier-ignore
  ],
  instructions: [{ name: "agent", tokens: 40 }, { name: "page orders", tokens: 1 }], // prettier-ignore
  state: "read",
  tokens: 60,
};

it("lists what the server adds: tools by their labels, the prompt's parts, models and where data goes", async () => {
  const asked: unknown[] = [];
  const fetch = disclosing((body) => (asked.push(body), told));
  const { client } = await open({ toolLabels: { web_search: "Look it up" } }, fetch);
  const rowsOf = (name: string) => within(part(name)).getAllByRole("listitem").map(({ textContent }) => textContent); // prettier-ignore
  await screen.findByRole("region", { name: "What it can do on the server" });
  expect(rowsOf("What it can do on the server")).toEqual([
    "Delete alertDeletes an alert.changes what cannot be undone · asks you first · 12 tokens",
    "Look it upSearches.sends something to others · goes to api.search.com · 7 tokens",
    "Read resultReads on.reads · when it is needed · 30 tokens",
  ]);
  expect(rowsOf("Instructions of the operator")).toEqual(["For every conversation40 tokens", "Page: Orders1 token"]);
  expect(rowsOf("Who answers, and where your data goes")).toEqual([
    "openai/gpt-5-minianswers now · goes to api.openai.com",
    "ollama/qwen3in reserve · can be chosen · stays in the operator's network",
    "script/democan be chosen · plays rules from a file; nothing leaves the server",
    "mistral/smallin reserve for one that can be chosen · goes to api.mistral.ai",
  ]);
  expect(screen.queryByRole("region", { name: "What the page and the assistant share" })).toBeNull();
  act(() => void client.updateState(() => ({ draft: "x" })));
  expect(rowsOf("What the page and the assistant share")).toEqual(["It reads it4 tokens"]);
  const { threadId } = client.getSnapshot();
  expect(asked).toEqual([{ agent: "default", page: "orders", tab: "late", scope: { customer: "7" }, threadId }]);
  act(() => client.setPlace({ page: "customers" }));
  await waitFor(() => expect(asked).toHaveLength(2));
});

it("tells one number in the composer and in the panel: what the page sends and what the server adds", async () => {
  let requests = 0;
  const fetch = disclosing(() => (requests++, told));
  const { client, keys } = await open({}, fetch);
  const inPanel = async () => {
    const total = await screen.findByText(/with tools and instructions$/);
    return Number(total.textContent.replace(/ .*/, ""));
  };
  const inComposer = () => Number(/about (\d+) tokens/.exec(screen.getByTitle(/^What the assistant sees/).title)![1]);
  // the rows 27, the tool and the instructions of the page, 60 of the server
  await waitFor(async () => expect(await inPanel()).toBe(27 + 21 + 3 + 60));
  expect(inComposer()).toBe(await inPanel());
  act(() => void client.updateState(() => ({ draft: "größer" })));
  await waitFor(async () => expect(await inPanel()).toBe(27 + 21 + 3 + 60 + 6));
  expect(inComposer()).toBe(await inPanel());
  await keys.click(screen.getByRole("switch", { name: "Send: Be brief." }));
  await waitFor(() => expect(inComposer()).toBe(27 + 21 + 60 + 6));
  expect(inComposer()).toBe(await inPanel());
  expect(requests).toBe(1);
});

it("counts again when the user turns to the message box: pages do not say when their values change", async () => {
  const { keys, value } = await open();
  const shown = () => screen.getByTitle(/^What the assistant sees/).title;
  await waitFor(() => expect(shown()).toContain("about 51 tokens"));
  value.rows += "a".repeat(400);
  await keys.click(screen.getByRole("textbox", { name: "Message" }));
  await waitFor(() => expect(shown()).toContain("about 151 tokens"));
});

it("asks who answers for the chosen model, and again when another is chosen", async () => {
  const models: unknown[] = [];
  const choices = [
    { id: "fast", label: "Fast" },
    { id: "deep", label: "Deep" },
  ];
  const disclosed = disclosing(({ model = "fast" }) => {
    models.push(model);
    return { ...told, models: [{ name: `openai/${model}`, uses: ["now"] }] };
  });
  const { client } = await open({}, (url, init) =>
    String(url).endsWith("/capabilities")
      ? Promise.resolve(Response.json({ custom: { pageside: { choices } } }))
      : disclosed(url, init),
  );
  await screen.findByText("openai/fast");
  await act(() => client.pickModel("deep"));
  await screen.findByText("openai/deep");
  expect(models).toEqual(["fast", "deep"]);
});

it("says that what the server adds could not be read", async () => {
  await open();
  expect(await screen.findByText("What the server adds could not be read.")).toBeTruthy();
});
