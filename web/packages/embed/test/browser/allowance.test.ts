// "Always" in the tray, with the real server: what it lets run, what it still asks about, and where
// it is not offered.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { listen } from "../../../../scripts/listen.mjs";
import { stack, startPage, startServe } from "./servers.js";
import { ask, inBrowser, staged } from "./stage.js";

/** What the tools have done. */
const done: string[] = [];

const script = `
name: alerts
rules:
  - match: '^alert (?P<name>\\w+)'
    steps:
      - calls: [{ tool: create_alert, args: { name: '{{ .Match.name }}' } }]
      - text: 'The alert {{ .Match.name }} is there.'
  - match: '^delete (?P<name>\\w+)'
    steps:
      - calls: [{ tool: delete_alert, args: { name: '{{ .Match.name }}' } }]
      - text: 'That was it.'
`;

const config = (api: string) => `
models: { main: { use: script/script.yaml } }
agents: [{ id: default, model: main }]
egress: { private: ["127.0.0.1"], ports: [${new URL(api).port}] }
tools:
${["create", "delete"]
  .map(
    (verb) => `
  - name: ${verb}_alert
    description: Changes an alert.
    global: true
    effect: ${verb === "create" ? "write" : "destructive"}
    method: POST
    url: ${api}/${verb}
    input: { type: object, properties: { name: { type: string } }, required: [name] }`,
  )
  .join("")}
`;

const html = `<!doctype html><title>Alerts</title><h1>Alerts</h1><p data-pageside-context="Alerts">none</p><script type="module" src="/pageside.js" data-roots="html" data-theme="light" data-open></script>`;

const { open } = staged(async () => {
  const api = await listen((incoming, outgoing) => {
    let body = "";
    incoming.on("data", (chunk: Buffer) => (body += chunk.toString()));
    incoming.on("end", () => {
      done.push(`${incoming.url} ${body}`);
      outgoing.writeHead(200, { "Content-Type": "application/json" }).end("{}");
    });
  });
  const pageside = await startServe({ "pageside.yaml": config(api.url), "script.yaml": script });
  return stack(await startPage(html, pageside.url), pageside, api);
});

const card = (page: Page, tool: string) => page.getByRole("group", { name: `Run “${tool}”?` });
const said = (page: Page, text: string) => page.getByRole("log").getByText(text);
const ALWAYS = "Always in this conversation";

inBrowser("always allows the same call alone, and nothing that destroys", async () => {
  const { page } = await open();

  await ask(page, "alert cpu");
  await card(page, "Create alert").getByRole("button", { name: "Allow always" }).click();
  const offer = card(page, "Create alert").getByRole("button", { name: ALWAYS });
  const hint = page.locator(`[id="${await offer.getAttribute("aria-describedby")}"]`);
  expect(await hint.textContent()).toBe("Only for exactly this: Create alert, with these details, for 24 hours.");
  await offer.click();
  await said(page, "The alert cpu is there.").waitFor();

  await ask(page, "alert cpu");
  await expect.poll(() => said(page, "The alert cpu is there.").count()).toBe(2);
  expect(done).toEqual(['/create {"name":"cpu"}', '/create {"name":"cpu"}']);

  await ask(page, "alert disk");
  await card(page, "Create alert").getByRole("button", { name: "Deny", exact: true }).click();
  // what the script says, whatever came of it
  await said(page, "The alert disk is there.").waitFor();
  expect(done).toHaveLength(2);

  await ask(page, "delete cpu");
  const deletion = card(page, "Delete alert");
  const approve = deletion.getByRole("button", { name: "Approve" });
  await approve.waitFor();
  expect(await deletion.getByRole("button", { name: /always/i }).count()).toBe(0);
  await deletion.getByText("You may not be able to undo this.").waitFor();
  expect(await approve.evaluate((button) => getComputedStyle(button).backgroundColor)).toBe("rgb(194, 39, 45)");
  await approve.click();
  await said(page, "That was it.").waitFor();
  await ask(page, "delete cpu");
  await deletion.getByRole("button", { name: "Deny", exact: true }).click();
  await expect.poll(() => said(page, "That was it.").count()).toBe(2);
  expect(done.slice(2)).toEqual(['/delete {"name":"cpu"}']);

  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "What the assistant sees" }).click();
  await page.getByRole("button", { name: "Ask again: Create alert" }).click();
  await page.getByRole("region", { name: "Runs without asking" }).waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await ask(page, "alert cpu");
  await card(page, "Create alert").getByRole("button", { name: "Approve" }).waitFor();
  expect(done).toHaveLength(3);
});
