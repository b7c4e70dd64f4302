import { expect, it } from "vitest";
import { shots, violations } from "../../../scripts/stage.ts";
import { both, describeOn, generated, looks, schemes } from "./harness/data.ts";
import { researchWorld } from "./harness/suite.ts";

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
/** The first of those that are generated. */
const [anyArticle, anyTrial] = ["99000001", "NCT99000001"];

const everyPage: [name: string, path: string][] = [
  ["streams", "/research"],
  ["semantic", "/research/streams/1/semantic"],
  ["retrieval", "/research/streams/1/retrieval"],
  ["execute", "/research/streams/1/execute"],
  ["workbench", "/research/streams/1/execute/workbench"],
  ["reports", "/research/reports?selected=2,3"],
  ["report", "/research/reports/latest"],
  ["analysis", "/research/reports/latest/analysis"],
  ["article", `/research/articles/${anyArticle}`],
  ["trials", "/research/trials"],
  ["trial", `/research/trials?open=${anyTrial}`],
  ["nowhere", "/research/nowhere"],
];

describeOn(both, "Research and its numbers", (data) => {
  const { itOn } = researchWorld(data);

  itOn(
    "searches trials, counts facets, and keeps all of it in the address",
    "/research/trials",
    async (research, raw) => {
      const { page } = research;
      const all = await raw.trials();
      await expect.poll(() => research.headline()).toBe(`${all.length} trials`);
      await page.getByRole("textbox", { name: "Intervention" }).fill("venetoclax");
      await page.keyboard.press("Enter");
      const found = await raw.trials({ intervention: "venetoclax" });
      await expect.poll(() => research.headline()).toBe(`${found.length} trials`);
      await page.getByRole("group", { name: "Filters" }).getByRole("button", { name: "Phase", exact: true }).click();
      const second = found.filter(({ phases }) => phases.includes("PHASE2")).length;
      const option = page.getByRole("dialog", { name: "Phase" }).locator(".menu-item", { hasText: /^Phase 2/ });
      await expect.poll(() => option.locator(".count").innerText()).toBe(String(second));
      await option.click();
      await expect.poll(() => research.headline()).toBe(`${second} trials`);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Trial", exact: true }).click();
      await expect
        .poll(() => page.getByRole("columnheader", { name: "Trial" }).getAttribute("aria-sort"))
        .toBe("ascending");
      await research.loaded();
      const titles = () => page.locator("main .row-button").allInnerTexts();
      const before = { titles: await titles(), url: page.url() };
      await page.reload();
      await research.loaded();
      await expect.poll(async () => ({ titles: await titles(), url: page.url() })).toEqual(before);
      await expect
        .poll(() => page.getByRole("columnheader", { name: "Trial" }).getAttribute("aria-sort"))
        .toBe("ascending");
      await page.goBack();
      await page.goBack();
      await expect.poll(() => research.headline()).toBe(`${found.length} trials`);
    },
  );

  itOn("points at what is wrong in a query, and recovers", "/research/streams/1/execute", async (research, raw) => {
    await research.query.fill("venetoclax AND (azacitidine");
    await research.page.keyboard.press("Enter");
    const alert = research.page.getByRole("alert");
    await alert.waitFor();
    await expect.poll(() => alert.innerText()).toContain("Character 16");
    await expect.poll(() => alert.locator("mark").innerText()).toBe("(");
    // The browser itself reports the refused request.
    await research.complained("422");
    await research.query.fill("venetoclax AND azacitidine");
    await research.page.keyboard.press("Enter");
    await alert.waitFor({ state: "detached" });
    const total = await raw.count("venetoclax AND azacitidine");
    await expect.poll(() => research.headline()).toBe(`${total} articles`);
  });

  itOn.long("makes a report of what a stream finds", "/research/streams/2/execute", async (research, raw) => {
    const before = (await raw.reports()).length;
    await research.page.getByRole("button", { name: "Make a report" }).click();
    await research.page.waitForURL(/\/research\/reports\/\d+$/);
    await research.loaded();
    expect((await raw.reports()).length).toBe(before + 1);
    const { articles } = await raw.report(research.path.split("/").at(-1)!);
    await expect.poll(() => research.headline()).toBe(`${articles.length} article${articles.length === 1 ? "" : "s"}`);
  });
});

describeOn([generated], "Research in a browser", (data) => {
  const { itOn } = researchWorld(data);

  itOn("changes between Discover and Research without losing the conversation", "/research", async (research) => {
    const { page } = research;
    const answer = await research.ask("What is a research stream?");
    await page.getByRole("navigation", { name: "Applications" }).getByRole("link", { name: "Discover" }).click();
    await page.getByRole("textbox", { name: "PPL query" }).waitFor();
    await expect.poll(() => research.path).toBe("/");
    await expect.poll(() => research.turn.innerText()).toBe(answer);
    await page.goBack();
    await page.getByRole("heading", { name: "Research streams" }).waitFor();
  });

  itOn("says that the model is a script, connects another, and changes its theme", "/research", async ({ page }) => {
    await page.getByRole("button", { name: "Settings" }).click();
    const settings = page.getByRole("dialog", { name: "Settings" });
    await settings.getByRole("button", { name: /Connect a model.*The scripted model answers now/s }).click();
    const connect = page.getByRole("dialog", { name: "Connect a model" });
    await expect.poll(() => connect.innerText()).toContain("it plays written rules");
    await page.keyboard.press("Escape");
    await connect.waitFor({ state: "detached" });
    const gear = page.getByRole("button", { name: "Settings" });
    expect(await gear.evaluate((button) => button === document.activeElement)).toBe(true);
    await gear.click();
    await settings.getByRole("button", { name: "Dark" }).click();
    await expect.poll(() => page.locator("html").getAttribute("data-theme")).toBe("dark");
  });

  itOn(
    "a table without a heading keeps within the round corners of its panel",
    "/research/reports",
    async ({ page }) => {
      const isSquare = () =>
        page.locator(".results-panel").evaluate((panel) => {
          const { left, top } = panel.getBoundingClientRect();
          return panel.contains(document.elementFromPoint(left + 1, top + 1));
        });
      await expect.poll(isSquare).toBe(false);
    },
  );

  itOn("opens a trial, and Escape gives the focus back to its row", "/research/trials", async (research, raw) => {
    const { page } = research;
    const row = page.locator("main .row-button").first();
    const nct = (await row.getAttribute("data-nct"))!;
    await row.focus();
    await page.keyboard.press("Enter");
    const detail = page.getByRole("complementary", { name: "Trial" });
    await detail.locator(".trial-title").waitFor();
    const [trial] = (await raw.trials()).filter((each) => each.nct === nct);
    await expect.poll(() => detail.locator(".trial-title").innerText()).toBe(trial!.title);
    await expect.poll(() => research.params.get("open")).toBe(nct);
    await page.keyboard.press("Escape");
    await detail.waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-nct"))).toBe(nct);
  });

  itOn(
    "keeps unsaved changes over a reload, saves them, and does not overwrite what somebody else saved",
    "/research/streams/3/semantic",
    async (research, raw) => {
      const { page } = research;
      const name = page.getByRole("textbox", { name: "Name", exact: true });
      await name.fill("Older patients, unfit");
      await page.getByText("Unsaved changes").waitFor();
      await page.reload();
      await research.loaded();
      await expect.poll(() => name.inputValue()).toBe("Older patients, unfit");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Unsaved changes").waitFor({ state: "detached" });
      const stored = await raw.stream("3");
      expect(stored.name).toBe("Older patients, unfit");
      await name.fill("Mine");
      await raw.save({ ...stored, name: "Theirs" });
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Somebody else changed this stream.").waitFor();
      await research.complained("409");
      expect((await raw.stream("3")).name).toBe("Theirs");
      await page.getByRole("button", { name: "Load their version" }).click();
      await expect.poll(() => name.inputValue()).toBe("Theirs");
    },
  );

  itOn("stores what the assistant is told in a stream", "/research/streams/1/semantic", async (research) => {
    const { page } = research;
    await page.getByText("Assistant instructions").click();
    const text = page.getByRole("textbox", { name: "Instructions for the assistant" });
    await text.fill("Name the dose.");
    await page.getByRole("button", { name: "Save instructions" }).click();
    await page.getByText("Saved. The assistant is told with the next question.").waitFor();
    const stored = await page.evaluate(
      async () => (await fetch("/v1/instructions/stream/1")).json() as Promise<{ text: string }>,
    );
    expect(stored.text).toBe("Name the dose.");
    await page.reload();
    await research.loaded();
    await page.getByText("Assistant instructions").click();
    await expect.poll(() => text.inputValue()).toBe("Name the dose.");
  });

  itOn(
    "tells the assistant what is on the page: the query, the selection, the result",
    "/research/streams/1/execute?sort=date:asc",
    async (research) => {
      const { page } = research;
      const sent = page.waitForRequest((request) => request.url().endsWith("/run"));
      await page
        .getByRole("checkbox", { name: /^Select / })
        .nth(1)
        .check();
      await page.getByRole("textbox", { name: "Message" }).fill("What am I looking at?");
      await page.getByRole("button", { name: "Send message" }).click();
      const body = (await sent).postDataJSON() as {
        context: { description: string; value: string }[];
        forwardedProps: { pageside: object };
      };
      expect(body.forwardedProps.pageside).toMatchObject({
        page: "edit_research_stream",
        tab: "execute",
        scope: { stream: "1" },
      });
      const search = body.context.find(({ description }) => description === "Research: article search")!;
      expect(JSON.parse(search.value)).toMatchObject({
        query: "venetoclax[tiab]",
        sort: "date",
        dir: "asc",
        page: 1,
        pageSize: 25,
        shown: 25,
        selected: [expect.stringMatching(/^\d+$/)],
      });
      await page.locator("[role=log][aria-busy=false]").waitFor();
    },
  );
});

describeOn([looks], "Research looked at", (data) => {
  const { onPage } = researchWorld(data);
  const few = ["execute", "workbench"];

  it.each(
    everyPage.flatMap(([name, path]) => schemes(few.includes(name)).map((scheme) => [name, scheme, path] as const)),
  )(
    "%s, %s: no accessibility violations, nothing wider than the window, and a picture",
    async (name, colorScheme, path) => {
      await onPage(
        path,
        async ({ page }) => {
          expect(await page.getByText("There is no such").count()).toBe(name === "nowhere" ? 1 : 0);
          await expect.poll(() => violations(page)).toEqual([]);
          await expect
            .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
            .toBeLessThanOrEqual(0);
          await page.screenshot({ path: `${shots}research-${name.replace(" ", "-")}-${colorScheme}.png` });
        },
        { colorScheme },
      )();
    },
  );

  it.each(schemes(true))("fits a phone, page and conversation, %s", async (colorScheme) =>
    onPage(
      "/research/trials?condition=leukemia",
      async (research) => {
        const { page } = research;
        // A phone zooms out of what is too wide: innerWidth grows with it.
        const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - screen.width);
        await expect.poll(() => overflow()).toBeLessThanOrEqual(0);
        await expect.poll(() => violations(page)).toEqual([]);
        await page.screenshot({ path: `${shots}research-phone-${colorScheme}.png` });
        await research.attempt("Fill the trial form");
        await expect.poll(() => violations(page)).toEqual([]);
        await page.screenshot({ path: `${shots}research-phone-answer-${colorScheme}.png` });
      },
      { ...phone, colorScheme },
    )(),
  );
});
