// The example with Go templates from end to end: its binary, a strict content security policy, a
// real browser.
import { expect } from "vitest";
import { startOrders } from "./servers.js";
import { answerIn, ask, inBrowser, staged } from "./stage.js";

const { open } = staged(startOrders);

inBrowser("the tray stands beside a server-rendered page and offers what the page suggests", async () => {
  const { page, complaints } = await open();
  await page.getByText("Ask about Orders").waitFor();
  await page.getByRole("button", { name: "Which order is the largest?" }).click();
  await answerIn(page).filter({ hasText: "Order 1050 of Hanoi Trading, with 2,340 €." }).waitFor();
  expect(complaints).toEqual([]);
});

inBrowser("what is redacted on the page is not sent", async () => {
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
});

inBrowser("a form that the assistant submits is answered by the page that comes next, once", async () => {
  const { page, complaints } = await open();
  const runs: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/run")) runs.push(request.postData()!);
  });
  const loads: string[] = [];
  page.on("framenavigated", (frame) => loads.push(new URL(frame.url()).search));
  await ask(page, "Show only the late orders");
  await answerIn(page).filter({ hasText: "There are 3 such orders, worth 4,260 € together." }).waitFor();
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
  await answerIn(page).filter({ hasText: "There are 3 such orders" }).waitFor();
  await ask(page, "Which order is the largest?");
  await answerIn(page).filter({ hasText: "Order 1050" }).waitFor();
  expect(runs).toHaveLength(3);
});
