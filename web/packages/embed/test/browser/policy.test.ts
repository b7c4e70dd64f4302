// Pages as people write them, served by `pageside serve --pages`; and pages whose own
// Content-Security-Policy keeps a form from being sent.
import { expect } from "vitest";
import { startServe } from "./servers.js";
import { ask, inBrowser, staged } from "./stage.js";

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

const files = { "pageside.yaml": config, "script.yaml": script, "index.html": html };
const { open, openHtml, url } = staged(() => startServe(files, undefined, true));

/** The messages of the newest thread. */
async function newest(): Promise<string> {
  const { threads } = (await (await fetch(`${url()}/v1/threads`)).json()) as { threads: { id: string }[] };
  return (await fetch(`${url()}/v1/threads/${threads[0]?.id}/messages`)).text();
}

inBrowser("an ordinary page runs its inline script, and its form is really sent", async () => {
  const { page } = await open();
  await ask(page, "show late");
  await page
    .getByRole("log")
    .getByText(/Told: .*1050, late/)
    .waitFor();
  expect(new URL(page.url()).search).toBe("?status=late");
});

inBrowser("a form that the page's policy does not let go fails the tool at once, and says why", async () => {
  const { page } = await openHtml(html, { "Content-Security-Policy": "form-action 'none'" });
  await ask(page, "show late");
  // The driver waits for the navigation that never happens, so the server is asked. Without the
  // error the tool would wait for the next page, for 15 seconds.
  await expect.poll(newest, { timeout: 12_000 }).toMatch(/Told: .*The form was not sent.*form-action/);
});
