// A conversation shared as a link, with the real server: who reads it, what they get, and when it
// ends.
import { createHmac } from "node:crypto";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { listen } from "../../../../scripts/listen.mjs";
import { stack, startPage, startServe } from "./servers.js";
import { ask, inBrowser, staged } from "./stage.js";

const script = `
name: orders
rules:
  - match: late
    steps:
      - calls: [{ tool: find_orders, args: { status: late } }]
      - text: 'Twelve are **late**.'
  - match: ''
    steps: [{ text: 'Anything else.' }]
`;

const config = (api: string) => `
models: { main: { use: script/script.yaml } }
agents: [{ id: default, model: main }]
auth:
  signed:
    secret: env:PAGESIDE_TEST_SECRET
    claims: { tenant: org }
egress: { private: ["127.0.0.1"], ports: [${new URL(api).port}] }
tools:
  - name: find_orders
    description: Finds orders.
    global: true
    effect: read
    method: POST
    url: ${api}/
    input: { type: object, properties: { status: { type: string } } }
`;

const secret = "only for this test, and longer than thirty-two bytes";

/** What the application would sign for a user. */
function principal(sub: string, org: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { sub, org, aud: "pageside", exp: Math.floor(Date.now() / 1000) + 800 };
  const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

const html = `<!doctype html><title>Orders</title><h1>Orders</h1><script type="module" src="/pageside.js" data-theme="light"></script>`;

const { open, url } = staged(async () => {
  const api = await listen((_, outgoing) => outgoing.writeHead(200).end('{"orders":["confidential"]}'));
  const files = { "pageside.yaml": config(api.url), "script.yaml": script };
  const pageside = await startServe(files, { PAGESIDE_TEST_SECRET: secret });
  return stack(await startPage(html, pageside.url), pageside, api);
});

/** Opens an address as a user, or as nobody. */
async function visit(address: string, user?: [sub: string, org: string]): Promise<Page> {
  const options = {
    permissions: ["clipboard-read", "clipboard-write"],
    viewport: { width: 1100, height: 860 },
    ...(user && { extraHTTPHeaders: { "X-Pageside-Principal": principal(...user) } }),
  };
  return (await open(options, address)).page;
}

const ann = ["ann", "acme"] as [string, string];
const ben = ["ben", "acme"] as [string, string];
const eve = ["eve", "evil"] as [string, string];

async function send(page: Page, text: string, answer: string) {
  await ask(page, text);
  await page.getByRole("log").getByText(answer).waitFor();
}

async function openPanel(page: Page) {
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Share…" }).click();
}

const button = (page: Page, name: string) => page.getByRole("button", { name });
const shown = (page: Page) => page.getByRole("dialog");

inBrowser("a link is for everybody of the tenant, until it is revoked", async () => {
  const address = `${url()}/orders?id=7#all`;
  const owner = await visit(address, ann);
  await button(owner, "Open Assistant").click();
  await send(owner, "Which are late?", "Twelve are late.");
  await openPanel(owner);
  await owner.getByRole("combobox").selectOption("7 days");
  await button(owner, "Create link").click();
  await button(owner, "Copy link").click();
  await owner.getByText("Copied").waitFor();
  const link = await owner.evaluate(() => navigator.clipboard.readText());
  expect(link).toMatch(/\/orders\?id=7&pageside-shared=[\w-]{20,}#all$/);
  await owner.keyboard.press("Escape");
  await send(owner, "And now?", "Anything else.");

  const reader = await visit(link, ben);
  await shown(reader).getByText("Twelve are late.").waitFor();
  await shown(reader).getByRole("heading", { name: "Which are late?" }).waitFor();
  await shown(reader).getByText("Find orders").waitFor();
  await shown(reader)
    .getByText(/^Shared on .*, read only$/)
    .waitFor();
  const text = await shown(reader).textContent();
  for (const kept of ["And now?", "Anything else.", "confidential"]) expect(text).not.toContain(kept);
  await button(reader, "Copy message").waitFor();
  const buttons = await shown(reader).getByRole("button").all();
  const names = await Promise.all(
    buttons.map((each) => each.evaluate(({ ariaLabel, textContent }) => ariaLabel ?? textContent)),
  );
  expect(names).toEqual(["Back", "Copy message", "Start your own conversation"]);
  expect(await shown(reader).getByRole("textbox").count()).toBe(0);
  await reader.reload(); // it stays until it is closed
  await button(reader, "Start your own conversation").click();
  expect(reader.url()).toBe(address);
  await send(reader, "Mine", "Anything else.");
  await reader.reload();
  await reader.getByRole("log").getByText("Mine").waitFor();
  expect(await shown(reader).count()).toBe(0);

  const ended = "This link has expired or was revoked.";
  const stranger = await visit(link, eve);
  await shown(stranger).getByText(ended).waitFor();
  const nobody = await visit(link);
  await shown(nobody).getByText("Sign in first to read this conversation.").waitFor();

  await openPanel(owner);
  await button(owner, "Revoke").click();
  await owner.getByText("Link revoked").waitFor();
  const late = await visit(link, ben);
  await shown(late).getByText(ended).waitFor();
  await late.keyboard.press("Escape");
  expect(late.url()).toBe(address);
});
