// The example with Go templates from end to end: its binary, a strict content security policy, a
// real browser.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findChromium, launch } from "../../../../scripts/chromium.mjs";
import { startOrders, type Running } from "./servers.js";

const chromium = findChromium();
let browser: Browser;
let orders: Running;

beforeAll(async () => {
  if (!chromium) return;
  [browser, orders] = await Promise.all([launch(chromium), startOrders()]);
});

afterAll(async () => {
  await browser?.close();
  await orders?.stop();
});

async function open(): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(180_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (/error|warning/.test(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(orders.url);
  await page.locator("pageside-tray .ps-tray").waitFor();
  return { page, complaints };
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(question);
  await page.keyboard.press("Enter");
}

const answer = (page: Page) => page.locator(".ps-turn").last().locator(".ps-answer-body").last();

test.runIf(chromium)("the tray stands beside a server-rendered page and offers what the page suggests", async () => {
  const { page, complaints } = await open();
  await page.getByText("Ask about Orders").waitFor();
  await page.getByRole("button", { name: "Which order is the largest?" }).click();
  await answer(page).filter({ hasText: "Order 1050 of Hanoi Trading, with 2,340 €." }).waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});

test.runIf(chromium)("what is redacted on the page is not sent", async () => {
  const { page } = await open();
  const sent = page.waitForRequest(/\/run$/);
  await ask(page, "Which order is the largest?");
  const body = (await sent).postData()!;
  expect(body).toContain("Hanoi Trading");
  expect(body).not.toContain("5528");
  expect(body).not.toContain("••••");
  const input = JSON.parse(body) as {
    forwardedProps: { pageside: { page: string } };
    tools: { name: string; parameters: unknown }[];
  };
  expect(input.forwardedProps.pageside.page).toBe("orders");
  expect(input.tools.find(({ name }) => name === "filter_orders")?.parameters).toEqual({
    type: "object",
    additionalProperties: false,
    properties: {
      status: {
        type: "string",
        enum: ["", "open", "late", "shipped", "returned"],
        description: 'Status ("": All)',
      },
      customer: { type: "string", description: "Customer" },
    },
  });
  await page.context().close();
});

test.runIf(chromium)("a form that the assistant submits is answered by the page that comes next, once", async () => {
  const { page, complaints } = await open();
  const runs: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/run")) runs.push(request.postData()!);
  });
  const loads: string[] = [];
  page.on("framenavigated", (frame) => loads.push(new URL(frame.url()).search));
  await ask(page, "Show only the late orders");
  await answer(page).filter({ hasText: "There are 3 such orders, worth 4,260 € together." }).waitFor();
  expect(loads).toEqual(["?status=late&customer="]);
  expect(runs).toHaveLength(2);
  const results = (JSON.parse(runs[1]!) as { messages: { role: string; content: string }[] }).messages.filter(
    ({ role }) => role === "tool",
  );
  expect(results).toHaveLength(1);
  expect(JSON.parse(results[0]!.content)).toHaveLength(3);
  expect(results[0]!.content).not.toContain("Card");
  await expect.poll(() => page.locator("#orders tbody tr").count()).toBe(3);
  expect(complaints).toEqual([]);

  // The conversation goes on on the new page, and another reload does nothing again.
  await page.reload();
  await answer(page).filter({ hasText: "There are 3 such orders" }).waitFor();
  await ask(page, "Which order is the largest?");
  await answer(page).filter({ hasText: "Order 1050" }).waitFor();
  expect(runs).toHaveLength(3);
  await page.context().close();
});
