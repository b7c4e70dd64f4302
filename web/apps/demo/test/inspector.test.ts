import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { inLong, isLong } from "../../../long.ts";
import { openPage, shots, violations } from "../../../scripts/stage.ts";
import { describeOn, looks } from "./harness/data.ts";
import { DemoPage, open } from "./harness/demo-page.ts";
import { DiscoverPage } from "./harness/discover.ts";
import { countBy, readLog } from "./harness/log.ts";
import { itOnPages, served, startServer } from "./harness/suite.ts";

class InspectorPage extends DemoPage {
  loaded = () => tab(this.page, "Timeline").waitFor();
}

const tab = (page: Page, name: string) => page.getByRole("tab", { name });

describeOn([looks], "the inspector, beside the real demo", (data) => {
  let folder: string;
  /** The client that asked for the most, and how often. */
  let client: string;
  let requests: number;
  /** What the demo was asked about it, and answered. */
  let question: string;
  let answer: string;
  const { url, onPage } = served(data, InspectorPage);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "inspector-"));
    const clients = countBy(readLog(data.log()), ({ ip }) => ip);
    [client, requests] = [...clients].toSorted((a, b) => b[1] - a[1])[0]!;
    question = `look up ${client}`;
    const discover = await open(DiscoverPage, url(), {}, openPage);
    answer = await discover.ask(question);
    await discover.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const onInspector = (test: (page: Page) => Promise<void>, options: BrowserContextOptions = {}) =>
    onPage("/inspector", ({ page }) => test(page), {
      viewport: { width: 1280, height: 900 },
      reducedMotion: "no-preference",
      ...options,
    });

  const itOn = itOnPages(onInspector);

  const show = async (page: Page, name: string) => {
    await tab(page, name).click();
    await page.getByRole("tabpanel", { name }).waitFor();
  };
  const row = (page: Page, text: string) => page.locator("main details").filter({ hasText: text }).first();

  itOn("shows the run, what the model was sent, and what became of its tool call", async (page) => {
    await page.getByRole("navigation", { name: "Runs" }).getByRole("button", { name: question }).waitFor();
    const call = row(page, "look_up_client");
    await expect.poll(() => call.locator("summary").innerText()).toContain("ran here");
    await call.locator("summary").click();
    await expect.poll(() => call.innerText()).toContain(`"clientip": "${client}"`);
    await expect.poll(() => call.innerText()).toContain(`"requests": ${requests}`);

    await show(page, "Prompt");
    const sections = page.locator("main .list").first().locator("details");
    const tokens = await sections.locator(".num").allInnerTexts();
    const total = /System prompt ([\d,]+) tokens/.exec(await page.locator("main").innerText())![1]!;
    const numbers = [...tokens, total].map((text) => Number(text.replaceAll(",", "")));
    expect(numbers.length).toBeGreaterThan(3);
    expect(numbers.slice(0, -1).reduce((sum, n) => sum + n, 0)).toBe(numbers.at(-1));
    await sections.filter({ hasText: "page discover" }).locator("summary").click();
    await expect.poll(() => sections.filter({ hasText: "page discover" }).locator("pre").innerText()).toMatch(/PPL/);
  });

  /** Marks of Markdown go away when they are closed. */
  const letters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, "").length;

  itOn("plays its events again, forwards and backwards", async (page) => {
    await show(page, "Events");
    const slider = page.getByRole("slider", { name: "Position in the run" });
    const stage = page.getByRole("group", { name: "What was on screen" });
    await expect.poll(() => stage.innerText()).toContain(String(requests));
    const all = Number(await slider.inputValue());
    const end = await stage.innerText();
    await expect.poll(() => page.locator("main details").first().innerText()).toContain("RUN_STARTED");
    await slider.focus();
    await page.keyboard.press("Home");
    await expect.poll(() => stage.innerText()).toBe("Nothing is shown yet.");
    let before = "";
    for (let at = 1; at <= all; at++) {
      await page.keyboard.press("ArrowRight");
      await expect.poll(() => slider.inputValue()).toBe(String(at));
      const now = await stage.innerText();
      expect(before === "Nothing is shown yet." || letters(now) >= letters(before), now).toBe(true);
      before = now;
    }
    expect(before).toBe(end);
    // It may be over before anybody looks: what the button became is kept.
    const button = page.getByRole("button", { name: "Replay" });
    const named = await button.evaluateHandle((element) => {
      const names: string[] = [];
      const look = () => names.push(element.getAttribute("aria-label") ?? element.textContent);
      new MutationObserver(look).observe(element, { attributes: true, characterData: true, childList: true, subtree: true }); // prettier-ignore
      return names;
    });
    await button.click();
    await expect.poll(() => named.evaluate((names) => [...new Set(names)].join())).toMatch(/Pause.*Replay/);
    await expect.poll(() => stage.innerText()).toBe(end);
  });

  itOn("resolves another place", async (page) => {
    await show(page, "Place");
    await row(page, "page discover").waitFor();
    await page.getByLabel("page", { exact: true }).fill("streams");
    await page.getByRole("button", { name: "Resolve" }).click();
    await row(page, "page streams").waitFor();
    await expect.poll(() => page.locator("main details").filter({ hasText: "page discover" }).count()).toBe(0);
  });

  itOn("is used by keys alone", async (page) => {
    await page.getByRole("button", { name: question }).focus();
    await page.keyboard.press("Enter");
    await expect
      .poll(() => page.locator("[aria-current]").evaluate((run) => run === document.activeElement))
      .toBe(true);
    await tab(page, "Timeline").focus();
    const steps = [
      ["ArrowRight", "Prompt"],
      ["ArrowRight", "Events"],
      ["End", "Place"],
      ["ArrowRight", "Timeline"],
      ["ArrowLeft", "Place"],
      ["Home", "Timeline"],
    ] as const;
    for (const [key, name] of steps) {
      await page.keyboard.press(key);
      await page.getByRole("tabpanel", { name }).waitFor();
      await page.locator(`[role=tab][aria-selected=true]:focus`, { hasText: name }).waitFor();
    }
  });

  type Look = ["light" | "dark", width: number];
  const some: Look[] = [["light", 1280]];
  const others: Look[] = [["dark", 1280], ["light", 390], ["dark", 390]]; // prettier-ignore

  it.each(isLong ? others : some)("has no accessibility violations and fits, %s, %i px", async (colorScheme, width) =>
    onInspector(
      async (page) => {
        for (const name of ["Timeline", "Prompt", "Events", "Place"]) {
          await show(page, name);
          if (name === "Place") await row(page, "page discover").waitFor();
          await page
            .locator("main details > summary")
            .evaluateAll((all) => all.forEach((it) => (it as HTMLElement).click()));
          await expect.poll(() => violations(page), { message: name }).toEqual([]);
          await expect
            .poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: name })
            .toBeLessThanOrEqual(width);
          await page.screenshot({ path: `${shots}inspector-${name}-${colorScheme}-${width}.png` });
        }
      },
      { colorScheme, viewport: { width, height: 900 } },
    )(),
  );

  it("is a click away from the demo, at the conversation's newest run", inLong, async () => {
    const discover = await open(DiscoverPage, url());
    await discover.ask("which alerts are there?");
    await discover.page.getByRole("button", { name: "Settings" }).click();
    const link = discover.page.getByRole("link", { name: /^Inspector/ });
    const [opened] = await Promise.all([discover.page.context().waitForEvent("page"), link.press("Enter")]);
    await opened.locator("main").getByText("list_alerts").first().waitFor();
    await expect.poll(() => opened.locator(".asked").innerText()).toBe("which alerts are there?");
    expect(discover.complaints).toEqual([]);
  });

  it("shows the question behind an answer, finds and compares it, and leads back to the chat", async () => {
    const discover = await open(DiscoverPage, url());
    await discover.ask(question);
    await discover.ask("which alerts are there?");
    const { page } = discover;
    const link = page.getByRole("link", { name: "Open in the inspector" }).first();
    const [opened] = await Promise.all([page.context().waitForEvent("page"), link.press("Enter")]);
    await opened.locator(".asked").filter({ hasText: question }).waitFor();
    const runs = opened.getByRole("navigation", { name: "Runs" });
    await opened.getByRole("searchbox").fill("alerts");
    await expect.poll(() => runs.getByRole("button", { name: question }).count()).toBe(0);
    await opened.getByRole("button", { name: "Compare" }).click();
    await runs.getByRole("button", { name: "which alerts are there?" }).first().click();
    const facts = opened.getByRole("group", { name: "Questions", exact: true });
    await expect.poll(() => facts.innerText()).toContain(question);
    await expect.poll(() => facts.innerText()).toContain("which alerts are there?");
    await opened.getByRole("button", { name: "Back to the run" }).click();
    await opened.getByRole("link", { name: "Open the chat" }).click();
    await opened.locator(".ps-answer").filter({ hasText: "alert" }).first().waitFor();
    expect(new URL(opened.url()).search).not.toContain("pageside-thread");
    expect(discover.complaints).toEqual([]);
  });

  itOn.long("gives a report that another server plays: the same answer", async (page) => {
    await page.getByRole("button", { name: question }).first().click();
    await page.locator(".asked").filter({ hasText: question }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download report" }).click(),
    ]);
    const file = join(folder, "report.yaml");
    await download.saveAs(file);
    const other = await startServer(...data.flags, "--model", `script/${file}`);
    onTestFinished(() => other.stop());
    const discover = await open(DiscoverPage, other.url);
    expect(await discover.ask(question)).toBe(answer);
    // only the report is known there
    expect(await discover.ask("which alerts are there?")).not.toContain("No alert");
    expect(discover.complaints).toEqual([]);
  });
});
