// Pages as people write them, served by `pageside serve --pages`; and pages whose own
// Content-Security-Policy keeps a form from being sent.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findChromium, launch } from "../../../../scripts/chromium.mjs";
import { startPage, startServe, type Running } from "./servers.js";

const chromium = findChromium();
let browser: Browser;
let pageside: Running;

const config = `
models: { main: { use: script/script.yaml } }
agents: [{ id: default, model: main }]
`;

const script = `
name: orders
rules:
  - match: '^show (?P<status>\\w+)'
    steps:
      - calls: [{ tool: filter_orders, args: { status: '{{ .Match.status }}' } }]
      - text: 'Told: {{ result "filter_orders" }}'
`;

const html = `<!doctype html><title>Orders</title>
<form action="/" data-pageside-tool="filter_orders" data-pageside-description="Filters the orders." data-pageside-result="#orders"><input name="status"><button>Filter</button></form>
<table id="orders"><tr><th>Order</th></tr></table>
<script>
  const status = new URL(location.href).searchParams.get("status");
  document.getElementById("orders").insertRow().insertCell().textContent = status ? "1050, " + status : "all of them";
</script>
<script type="module" src="/pageside.js" data-roots="html" data-theme="light" data-open></script>`;

beforeAll(async () => {
  if (!chromium) return;
  [browser, pageside] = await Promise.all([
    launch(chromium),
    startServe({ "pageside.yaml": config, "script.yaml": script, "index.html": html }, undefined, true),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await pageside?.stop();
});

async function ask(page: Page, url: string, question: string): Promise<void> {
  page.setDefaultTimeout(30_000);
  await page.goto(url);
  await page.getByRole("textbox", { name: /message/i }).fill(question);
  await page.keyboard.press("Enter");
}

/** The messages of the newest thread. */
async function newest(): Promise<string> {
  const { threads } = (await (await fetch(`${pageside.url}/v1/threads`)).json()) as { threads: { id: string }[] };
  return (await fetch(`${pageside.url}/v1/threads/${threads[0]?.id}/messages`)).text();
}

test.runIf(chromium)("an ordinary page runs its inline script, and its form is really sent", async () => {
  const page = await browser.newPage();
  await ask(page, pageside.url, "show late");
  await page
    .getByRole("log")
    .getByText(/Told: .*1050, late/)
    .waitFor();
  expect(new URL(page.url()).search).toBe("?status=late");
  await page.close();
});

test.runIf(chromium)("a form that the page's policy does not let go fails the tool at once, and says why", async () => {
  const host = await startPage(html, pageside.url, { "Content-Security-Policy": "form-action 'none'" });
  const page = await browser.newPage();
  try {
    await ask(page, host.url, "show late");
    // The driver waits for the navigation that never happens, so the server is asked. Without the
    // error the tool would wait for the next page, for 15 seconds.
    await expect.poll(newest, { timeout: 12_000 }).toMatch(/Told: .*The form was not sent.*form-action/);
  } finally {
    await page.close();
    await host.stop();
  }
});
