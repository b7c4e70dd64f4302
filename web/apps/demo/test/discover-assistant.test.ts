import { expect } from "vitest";
import { violations } from "../../../scripts/stage.ts";
import { both } from "./harness/data.ts";
import type { DiscoverPage } from "./harness/discover.ts";
import { countBy } from "./harness/log.ts";
import { describeDiscover } from "./harness/suite.ts";

const hour = 3_600_000;

describeDiscover(both, "what the assistant does on Discover", (suite) => {
  const { itOn } = suite;
  const number = (text: string) => text.replaceAll(",", "");
  const ended = (discover: DiscoverPage) => discover.page.locator("[role=log][aria-busy=false]").waitFor();

  itOn.long("ticked rows are told only when they are asked about", "", async (discover) => {
    const boxes = discover.page.getByRole("checkbox", { name: "Select request" });
    for (const index of [0, 2, 5]) await boxes.nth(index).check();
    const bodies: string[] = [];
    discover.page.on("request", (request) => {
      if (request.url().endsWith("/run")) bodies.push(request.postData() ?? "");
    });
    await discover.ask("How many requests are there?");
    expect(bodies.join("")).not.toContain("Rows selected in the table");
    await discover.page.getByRole("textbox", { name: "PPL query" }).fill("source=access_log");
    await discover.page.getByRole("button", { name: "Run", exact: true }).click();
    await discover.loaded();
    for (const index of [0, 2, 5]) await boxes.nth(index).check();
    await discover.page.getByRole("button", { name: "Ask about them" }).click();
    await discover.page.getByRole("log").getByText("You selected 3 rows").waitFor();
    await ended(discover);
    expect(bodies.at(-1)).toContain("Rows selected in the table");
    const table = await discover.rows();
    const rows = discover.answer.locator("tbody tr");
    for (const [index, shown] of [0, 2, 5].entries())
      await expect.poll(() => rows.nth(index).innerText()).toContain(table[shown]![5]!);
  });

  itOn.long("/analyze counts and draws what is on the page", "?f=method~is~GET", async (discover) => {
    const get = suite.log.filter((entry) => entry.method === "GET");
    const failed = get.filter((entry) => entry.status >= 400).length;
    await discover.command("/analyze");
    await discover.page.getByRole("log").getByText("Key insights").waitFor();
    await ended(discover);
    const answer = number(await discover.answer.innerText());
    expect(answer).toContain(`over the ${get.length} requests`);
    expect(answer).toContain(`${failed} with status 400 or above`);
    const chart = discover.page.getByRole("log").getByRole("table", { name: "", includeHidden: true }).last();
    await discover.page.getByRole("log").getByText("Requests over time").first().waitFor();
    const sum = async () => {
      const values = await chart.locator("tbody td").allInnerTexts();
      return values.reduce((all, value) => all + Number.parseInt(number(value), 10), 0);
    };
    await expect.poll(sum).toBe(get.length);
  });

  itOn("a chart has the numbers of the log", "", async (discover) => {
    await discover.ask("chart the requests by status");
    const counts = countBy(suite.log, (entry) => String(entry.status));
    const conversation = discover.page.getByRole("log");
    await conversation.getByText("Requests by status").first().waitFor();
    // The table that says the same as the drawing: status, requests.
    const drawn = conversation.locator("figure tbody tr");
    const largest = [...counts.values()].toSorted((a, b) => b - a).slice(0, 8);
    await expect.poll(() => drawn.count()).toBe(largest.length);
    const rows = await drawn.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
    for (const [status, value] of rows) expect(Number.parseInt(number(value!), 10)).toBe(counts.get(status!));
  });

  itOn("an alert is tried, saved, listed, deleted after asking, and brought back", "", async (discover) => {
    const hours = countBy(
      suite.log.filter((entry) => entry.status === 404),
      (entry) => String(Math.floor(entry.time / hour)),
    );
    const fired = [...hours.values()].filter((count) => count > 4).length;
    const answer = await discover.ask("Alert me when there are more than 4 404s in an hour");
    expect(answer).toContain(`fired ${fired} times; the most were ${Math.max(...hours.values())} in`);
    await expect.poll(() => discover.answer.locator(".steps li[data-state=done]").count()).toBe(3);
    await discover.page.getByRole("button", { name: "Show the alerts" }).click();
    const list = discover.page.getByRole("dialog", { name: "Alerts" });
    await list.getByText("More than 4 404s in an hour").waitFor();
    await expect.poll(() => violations(discover.page)).toEqual([]);
    await discover.page.keyboard.press("Escape");

    await discover.send("Delete the alert");
    await discover.page.getByRole("button", { name: "Deny", exact: true }).click();
    await discover.answer.locator(".tool-panel[data-tone=neutral]").getByText("Not deleted").waitFor();
    await ended(discover);
    await discover.send("Delete the alert");
    await discover.page.getByRole("button", { name: "Approve" }).click();
    await discover.page.getByRole("log").getByText("I deleted the alert").waitFor();
    await ended(discover);
    await discover.page.getByRole("button", { name: /^Alerts/ }).click();
    await list.getByRole("button", { name: "Undo" }).click();
    await list.getByRole("button", { name: "Delete More than 4 404s in an hour" }).waitFor();
  });

  itOn.long("everything about one client, in steps", "", async (discover) => {
    const [ip, count] = [...countBy(suite.log, (entry) => entry.ip)].toSorted((a, b) => b[1] - a[1])[0]!;
    const failed = suite.log.filter((entry) => entry.ip === ip && entry.status >= 400).length;
    const answer = number(await discover.ask(`look up ${ip}`));
    expect(answer).toContain(`made ${count} requests`);
    expect(answer).toContain(`${failed} failed`);
    await expect.poll(() => discover.answer.locator(".steps li[data-state=done]").count()).toBe(5);
  });

  itOn("asks which data source, and shows it", "", async (discover) => {
    await discover.send("Use another data source");
    const form = discover.page.getByRole("log");
    await form.getByText("Error summary", { exact: true }).click();
    await discover.page.getByRole("button", { name: "Answer", exact: true }).click();
    await form.getByText(/Its fields are timestamp/).waitFor();
    await discover.loaded();
    await expect.poll(() => discover.queryBar.inputValue()).toBe("source=error_summary");
    const groups = new Set(
      suite.log
        .filter(({ status }) => status >= 400)
        .map(({ time, status, path }) => `${Math.floor(time / hour)} ${status} ${path}`),
    );
    await expect.poll(() => discover.matched()).toBe(groups.size);
    await discover.undo.click();
    await discover.loaded();
    await expect.poll(() => discover.matched()).toBe(suite.log.length);
  });

  itOn.long("queries compute: shares of errors by client", "", async (discover) => {
    const query =
      "source=access_log | stats count() as n, count(eval(status >= 400)) as errors by clientip | where n > 50 | eval share = round(100 * errors / n, 2) | sort - share, clientip | head 5";
    await discover.queryBar.fill(query);
    await discover.page.getByRole("button", { name: "Run", exact: true }).click();
    await discover.loaded();
    await discover.page.getByRole("columnheader", { name: "share" }).waitFor();
    const all = countBy(suite.log, (entry) => entry.ip);
    const bad = countBy(
      suite.log.filter((entry) => entry.status >= 400),
      (entry) => entry.ip,
    );
    const want = [...all]
      .filter(([, n]) => n > 50)
      .map(([ip, n]) => ({ ip, share: Math.round((10_000 * (bad.get(ip) ?? 0)) / n) / 100 }))
      .toSorted((a, b) => b.share - a.share || (a.ip < b.ip ? -1 : 1))
      .slice(0, 5);
    const rows = await discover.rows();
    expect(rows.map((row) => row[0])).toEqual(want.map(({ ip }) => ip));
    for (const [index, row] of rows.entries()) expect(row.map(Number)).toContain(want[index]!.share);
  });
});
