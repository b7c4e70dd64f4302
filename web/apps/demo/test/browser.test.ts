import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { shots, violations } from "../../../scripts/stage.ts";
import { both, generated, looks, schemes } from "./harness/data.ts";
import type { DiscoverPage } from "./harness/discover.ts";
import { countBy } from "./harness/log.ts";
import { describeDiscover, startServer } from "./harness/suite.ts";

const endlessScript = fileURLToPath(new URL("harness/endless.yaml", import.meta.url));
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
const hour = 3_600_000;

/** With and without a thousands separator. */
const numbers = (text: string) => (text.match(/\d[\d,]*/g) ?? []).map((found) => Number(found.replaceAll(",", "")));

describeDiscover(both, "Discover and its numbers", (suite) => {
  const { itOn } = suite;

  itOn(
    "which pages give the most 404s? The query, the table and the answer agree with the file",
    "",
    async (discover) => {
      const missing = suite.log.filter((entry) => entry.status === 404);
      const counts = countBy(missing, (entry) => entry.path);
      const [top] = [...counts].toSorted((a, b) => b[1] - a[1]);

      const answer = await discover.ask("Which pages give the most 404s?");

      const query = await discover.queryBar.inputValue();
      expect(query).toMatch(/status\s*=\s*404/);
      expect(query).toMatch(/stats .*by path/);
      await expect.poll(() => discover.matched()).toBe(missing.length);

      await expect.poll(async () => (await discover.rows())[0]).toEqual([top![0], String(top![1])]);
      const rows = await discover.rows();
      expect(rows.length).toBeGreaterThan(2);
      for (const [path, hits] of rows) expect([path, numbers(hits!)[0]]).toEqual([path, counts.get(path!)]);
      expect(rows.map(([, hits]) => Number(hits))).toEqual(
        [...counts.values()].toSorted((a, b) => b - a).slice(0, rows.length),
      );

      expect(answer).toContain(top![0]);
      expect(numbers(answer.replaceAll(top![0], ""))).toContain(top![1]);
      for (const line of await discover.answer.locator("tr, li").allInnerTexts()) {
        const path = [...counts.keys()]
          .filter((known) => line.includes(known))
          .toSorted((a, b) => b.length - a.length)[0];
        if (path) expect([path, ...numbers(line.replace(path, ""))]).toContain(counts.get(path));
      }
    },
  );

  itOn.long("narrows the time range, and says how much is left", "", async (discover) => {
    const end = Math.max(...suite.log.map((entry) => entry.time));
    const left = suite.log.filter((entry) => entry.time >= end - 6 * hour).length;
    const answer = await discover.ask("Show the last 6 hours");
    await expect.poll(() => discover.matched()).toBe(left);
    expect(numbers(answer)).toContain(left);
    await expect
      .poll(() => new URL(discover.page.url()).searchParams.get("from"))
      .toBe(new Date(end - 6 * hour).toISOString().replace(".000", ""));
  });

  itOn.long(
    "knows why there are so few results: the narrow filter",
    "?f=status~is~500&f=method~is~GET",
    async (discover) => {
      const shown = suite.log.filter((entry) => entry.status === 500 && entry.method === "GET").length;
      await expect.poll(() => discover.matched()).toBe(shown);
      const answer = await discover.ask("Why so few results?");
      expect(answer).toMatch(/status/i);
      expect(answer).toContain("500");
      expect(numbers(answer)).toContain(shown);
    },
  );

  itOn("points at the column of an error, and recovers", "", async (discover) => {
    await discover.queryBar.fill("source=access_log | where statu = 404");
    await discover.queryBar.press("Enter");
    const alert = discover.page.getByRole("alert");
    await alert.waitFor();
    await expect.poll(() => alert.innerText()).toContain("Line 1, column 27");
    await expect.poll(() => alert.locator("mark").allInnerTexts()).toEqual(["statu"]);
    await expect.poll(() => discover.queryBar.getAttribute("aria-invalid")).toBe("true");
    // The browser itself reports the refused request.
    await discover.complained("422");
    await discover.queryBar.fill("source=access_log | where status = 404");
    await discover.queryBar.press("Control+Enter");
    await discover.loaded();
    await alert.waitFor({ state: "detached" });
    await expect.poll(() => discover.matched()).toBe(suite.log.filter((entry) => entry.status === 404).length);
  });

  itOn.long("opens a request, filters by a value of it, and closes it with Escape", "", async (discover) => {
    const { page } = discover;
    const first = page.getByRole("button", { name: "Open request" }).first();
    await first.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const detail = page.getByRole("complementary", { name: "Request" });
    const ip = await detail.locator(".field", { hasText: "clientip" }).locator("dd").first().innerText();
    await detail.getByRole("button", { name: `Filter for clientip ${ip}` }).click();
    await discover.loaded();
    await expect.poll(() => discover.matched()).toBe(suite.log.filter((entry) => entry.ip === ip).length);
    await page.keyboard.press("Escape");
    await detail.waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toBe("row-open");
  });

  itOn("narrows the time by dragging over the histogram, and by keys", "", async (discover) => {
    const { page } = discover;
    const plot = page.getByRole("slider");
    const box = (await plot.boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.3, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 5 });
    await page.mouse.up();
    await discover.loaded();
    const dragged = await checkRange(discover);
    await plot.focus();
    for (const key of ["Home", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Enter"])
      await page.keyboard.press(key);
    await discover.loaded();
    await expect.poll(() => checkRange(discover)).toBeLessThan(dragged);
    await page.getByRole("button", { name: "Show the whole log" }).click();
    await discover.loaded();
    await expect.poll(() => discover.matched()).toBe(suite.log.length);
  });

  /** Compares what matches with the entries in the URL's time range. */
  async function checkRange(discover: DiscoverPage): Promise<number> {
    const params = new URL(discover.page.url()).searchParams;
    const [from, to] = [Date.parse(params.get("from")!), Date.parse(params.get("to")!)];
    const matched = await discover.matched();
    expect(matched).toBe(suite.log.filter((entry) => entry.time >= from && entry.time <= to).length);
    expect(matched).toBeGreaterThan(0);
    return matched;
  }

  itOn.long("says what keeps an empty result empty", "?f=status~is~404&f=clientip~is~nobody", async (discover) => {
    const hints = discover.page.locator(".hint");
    await hints.filter({ hasText: "without it" }).nth(1).waitFor();
    const missing = suite.log.filter((entry) => entry.status === 404).length;
    await expect.poll(() => hints.nth(1).innerText()).toContain(`${missing} without it`);
    await expect.poll(() => violations(discover.page)).toEqual([]);
    await hints.nth(1).getByRole("button").click();
    await discover.loaded();
    await expect.poll(() => discover.matched()).toBe(missing);
  });
});

describeDiscover([generated], "Discover in a browser", ({ data, onPage, itOn }) => {
  /** On a server whose answers do not end by themselves. */
  const onEndless = (test: (discover: DiscoverPage) => Promise<void>) => async () => {
    const endless = await startServer(...data.flags, "--model", `script/${endlessScript}`);
    onTestFinished(() => endless.stop());
    await onPage("", test, {}, endless)();
  };

  itOn("what it changed can be undone", "?f=method~is~GET", async (discover) => {
    await discover.ask("Which pages give the most 404s?");
    await discover.undo.click();
    await discover.loaded();
    await expect.poll(() => discover.queryBar.inputValue()).toBe("source=access_log");
    await expect.poll(() => discover.chips()).toEqual(["method is GET"]);
    await expect.poll(() => discover.undo.count()).toBe(0);
  });

  itOn("the conversation survives a reload", "", async (discover) => {
    const answer = await discover.ask("Which pages give the most 404s?");
    await discover.page.reload();
    await discover.loaded();
    await discover.answer.locator(".tool-panel[data-tone=good]").waitFor();
    // What the page was before is not known to a page that was loaded anew.
    const before = answer.replace(/\s*Undo(?=\s)/, "");
    await expect.poll(() => discover.said()).toBe(before);
  });

  it(
    "can be stopped, which is seen also after a reload",
    onEndless(async (discover) => {
      const { page } = discover;
      const mark = page.locator(".ps-stopped");
      await discover.send("Write me a poem");
      await expect.poll(() => discover.answer.innerText()).toContain("and on");
      await page.getByRole("button", { name: "Stop", exact: true }).click();
      await discover.idle();
      await expect.poll(() => mark.innerText()).toBe("Stopped");
      await expect.poll(() => page.getByRole("textbox", { name: "Message" }).isEnabled()).toBe(true);
      await page.reload();
      await mark.waitFor();
      await expect.poll(() => mark.innerText()).toBe("Stopped");
      await expect.poll(() => discover.answer.innerText()).toContain("and on");
    }),
  );

  itOn("closes the assistant without losing the focus, and opens it again", "", async ({ page, tray }) => {
    const button = page.getByRole("button", { name: "Assistant", exact: true });
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await tray.waitFor({ state: "hidden" });
    await expect.poll(() => button.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    await tray.waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toBe("ps-input");
  });

  itOn("keeps its state over a reload, and goes back", "?f=status~is~404", async (discover) => {
    const { page } = discover;
    await page.getByRole("columnheader", { name: "bytes" }).getByRole("button").click();
    await expect
      .poll(() => page.getByRole("columnheader", { name: "bytes" }).getAttribute("aria-sort"))
      .toBe("descending");
    await discover.loaded();
    const first = await discover.rows();
    await page.getByRole("button", { name: "Next page" }).click();
    await expect.poll(() => discover.rows()).not.toEqual(first);
    await discover.loaded();
    const before = { rows: await discover.rows(), chips: await discover.chips(), url: page.url() };
    await page.reload();
    await discover.loaded();
    await expect
      .poll(async () => ({ rows: await discover.rows(), chips: await discover.chips(), url: page.url() }))
      .toEqual(before);
    await expect
      .poll(() => page.getByRole("columnheader", { name: "bytes" }).getAttribute("aria-sort"))
      .toBe("descending");
    await page.goBack();
    await page.goBack();
    await discover.loaded();
    await expect.poll(() => new URL(page.url()).search).toBe("?f=status~is~404");
    await expect.poll(() => page.getByRole("columnheader", { name: "bytes" }).getAttribute("aria-sort")).toBeNull();
  });

  it(
    "follows the system's theme until the user chooses, and remembers the choice",
    onPage(
      "",
      async ({ page }) => {
        const background = () =>
          page
            .locator(".panel")
            .first()
            .evaluate((element) => getComputedStyle(element).backgroundColor);
        await expect.poll(() => background()).toBe("rgb(21, 23, 27)");
        await page.getByRole("button", { name: "Use the light theme" }).click();
        await expect.poll(() => background()).toBe("rgb(255, 255, 255)");
        await page.reload();
        await expect.poll(() => background()).toBe("rgb(255, 255, 255)");
      },
      { colorScheme: "dark" },
    ),
  );

  it(
    "shows what the assistant changed without movement where movement is unwanted",
    onPage(
      "",
      async (discover) => {
        await discover.ask("Which pages give the most 404s?");
        const timing = await discover.page
          .locator(".query-box")
          .evaluate((box) => getComputedStyle(box).animationTimingFunction);
        expect(timing).toMatch(/^step/);
      },
      { reducedMotion: "reduce" },
    ),
  );
});

describeDiscover([looks], "Discover looked at", ({ onPage }) => {
  it.each(schemes(true))("has no accessibility violations, and a picture, %s", async (colorScheme) =>
    onPage(
      "",
      async (discover) => {
        await expect.poll(() => violations(discover.page)).toEqual([]);
        await discover.page.screenshot({ path: `${shots}discover-${colorScheme}.png` });
        await discover.ask("Which pages give the most 404s?");
        await expect.poll(() => violations(discover.page)).toEqual([]);
        await discover.page.screenshot({ path: `${shots}discover-answer-${colorScheme}.png` });
      },
      { colorScheme },
    )(),
  );

  it.each(schemes())("also with a request, panels and an error open, %s", async (colorScheme) =>
    onPage(
      "?f=status~is~404&f=!method~is~GET&row=9",
      async (discover) => {
        const { page } = discover;
        await page.locator(".fields").waitFor();
        for (const name of ["Time range: Whole log", "Add filter", "Edit filter status is 404"]) {
          await page.getByRole("button", { name, exact: true }).click();
          await expect.poll(() => violations(page)).toEqual([]);
        }
        await page.keyboard.press("Escape");
        await page.screenshot({ path: `${shots}discover-detail-${colorScheme}.png` });
        await discover.queryBar.fill("source=access_log | where");
        await discover.queryBar.press("Enter");
        await page.getByRole("alert").waitFor();
        await expect.poll(() => violations(page)).toEqual([]);
        await discover.complained("422");
      },
      { colorScheme },
    )(),
  );

  it.each(schemes())("fits a phone, page and conversation, %s", async (colorScheme) =>
    onPage(
      "",
      async (discover) => {
        const { page } = discover;
        // A phone zooms out of what is too wide: innerWidth grows with it.
        const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - screen.width);
        await expect.poll(() => overflow()).toBeLessThanOrEqual(0);
        await expect.poll(() => violations(page)).toEqual([]);
        await page.screenshot({ path: `${shots}discover-phone-${colorScheme}.png` });
        await discover.ask("Which pages give the most 404s?");
        await expect.poll(() => violations(page)).toEqual([]);
        await page.screenshot({ path: `${shots}discover-phone-answer-${colorScheme}.png` });
        await discover.ask("Alert me when there are more than 4 404s in an hour");
        await page.getByRole("button", { name: "Close", exact: true }).click();
        await discover.queryBar.fill("source=access_log");
        await discover.queryBar.press("Enter");
        await discover.page.locator(".results-head .pager").waitFor();
        await page
          .locator(".results-head")
          .getByRole("button", { name: /Alerts/ })
          .waitFor();
        await expect.poll(() => overflow()).toBeLessThanOrEqual(0);
      },
      { ...phone, colorScheme },
    )(),
  );
});
