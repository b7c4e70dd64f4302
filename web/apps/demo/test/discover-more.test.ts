import { expect } from "vitest";
import { violations } from "../../../scripts/stage.ts";
import { both } from "./harness/data.ts";
import type { DiscoverPage } from "./harness/discover.ts";
import { describeDiscover } from "./harness/suite.ts";

describeDiscover(both, "what the user has beside the assistant on Discover", (suite) => {
  const { itOn } = suite;
  const number = (text: string) => text.replaceAll(",", "");
  const ended = (discover: DiscoverPage) => discover.page.locator("[role=log][aria-busy=false]").waitFor();

  itOn(
    "a query is saved, run again, and deleted by the assistant only after asking; undo brings it back",
    "?q=source%3Daccess_log+%7C+where+status+%3D+404&f=method~is~GET",
    async (discover) => {
      const { page } = discover;
      const matched = suite.log.filter(({ status, method }) => status === 404 && method === "GET").length;
      const panel = page.getByRole("dialog", { name: "Saved queries" });
      const open = () => page.getByRole("button", { name: "Saved queries" }).click();
      await open();
      await panel.getByLabel("Save what is on the page as").fill("Missing pages");
      await panel.getByRole("button", { name: "Save", exact: true }).click();
      await panel.getByText("With 1 filter").waitFor();
      await expect.poll(() => violations(page)).toEqual([]);
      await page.keyboard.press("Escape");

      await page.goto(suite.url());
      await discover.loaded();
      await expect.poll(() => discover.matched()).toBe(suite.log.length);
      await open();
      await panel.getByRole("button", { name: "Missing pages", exact: false }).first().click();
      await discover.loaded();
      await expect.poll(() => discover.matched()).toBe(matched);
      await expect.poll(() => discover.chips()).toHaveLength(1);
      await page.goBack();
      await discover.loaded();
      await expect.poll(() => discover.matched()).toBe(suite.log.length);

      // The server has the user approve it; the page's own question is not asked a second time.
      const question = page.getByRole("group", { name: "Run “Delete saved query”?" });
      await discover.send("delete my saved query nonsense");
      await question.getByRole("button", { name: "Approve", exact: true }).click();
      await page.getByRole("log").getByText("There are: “Missing pages”").waitFor();
      await ended(discover);
      await discover.send("delete my saved query missing pages");
      await question.getByRole("button", { name: "Deny", exact: true }).click();
      await page.getByRole("log").getByText("I leave the saved query as it is").waitFor();
      await ended(discover);
      await discover.send("delete my saved query missing pages");
      await question.waitFor();
      await expect.poll(() => violations(page)).toEqual([]);
      await expect
        .poll(() => page.evaluate(() => localStorage.getItem("pageside-demo:saved-queries")))
        .toContain("Missing pages");
      await question.getByRole("button", { name: "Approve", exact: true }).click();
      await page.getByRole("log").getByText("I deleted the saved query").waitFor();
      await ended(discover);
      await expect
        .poll(() => page.evaluate(() => localStorage.getItem("pageside-demo:saved-queries")))
        .not.toContain("Missing pages");
      await page.getByRole("log").getByRole("button", { name: "Undo" }).click();
      await open();
      await panel.getByRole("button", { name: "Delete Missing pages" }).click();
      await panel.getByRole("button", { name: "Undo" }).click();
      await panel.getByRole("button", { name: "Delete Missing pages" }).waitFor();
      await page.keyboard.press("Escape");
      expect(await discover.ask("which saved queries are there?")).toContain("Missing pages: source=access_log");
    },
  );

  itOn("what is selected on the page is a pill in the tray, and the answer is about it", "", async (discover) => {
    const { page } = discover;
    const path = (await discover.rows()).flat().find((cell) => /^\/\w+/.test(cell))!;
    const cell = discover.results.locator("tbody td").getByText(path, { exact: true }).first();
    await cell.evaluate((element) => document.getSelection()!.selectAllChildren(element));
    await page
      .getByRole("button", { name: /Selected text|@selection/ })
      .or(page.locator(".ps-pill", { hasText: path }))
      .first()
      .waitFor();
    const bodies: string[] = [];
    page.on("request", (request) => request.url().endsWith("/run") && bodies.push(request.postData() ?? ""));
    const answer = number(await discover.ask("How often was this asked for: what is this?"));
    expect(bodies[0]).toContain("Text the user has selected on the page");
    const having = suite.log.filter((entry) => entry.path.includes(path)).length;
    expect(answer).toContain(`You selected ${path}. In the whole log ${having} request`);
  });

  itOn.long("a command of one's own is saved with its first use, and used again", "", async (discover) => {
    const { page } = discover;
    const message = discover.tray.locator("textarea"); // a combobox while commands are listed
    await message.fill("/top which pages give the most 404s?");
    await page.getByRole("button", { name: "Send message" }).click();
    await page.getByRole("button", { name: "Save and send" }).click();
    await page
      .getByRole("log")
      .locator(".ps-bubble")
      .filter({ hasText: /which pages give/i })
      .waitFor();
    await ended(discover);
    await expect.poll(() => discover.answer.innerText()).toMatch(/leads with/);
    await page.reload();
    await discover.loaded();
    await message.fill("/to");
    await page.getByRole("option", { name: /\/top/ }).waitFor();
    await discover.command("/top");
    await page.getByRole("log").locator(".ps-bubble").nth(1).waitFor();
    await ended(discover);
    await expect.poll(() => discover.answer.innerText()).toContain("leads with");
  });

  itOn.long("an empty conversation suggests what fits this log, and a suggestion asks", "", async (discover) => {
    const { page } = discover;
    const info = (await (await fetch(`${suite.url()}/demo/discover/info`)).json()) as { samples: string[] };
    const chips = discover.tray.locator(".ps-empty button, .ps-chip");
    await discover.tray.getByRole("button", { name: info.samples[0]! }).waitFor();
    await expect.poll(async () => (await chips.allInnerTexts()).join("\n")).toContain(info.samples[1]!);
    await discover.tray.getByRole("button", { name: info.samples[0]! }).click();
    await page.getByRole("log").locator(".ps-bubble").filter({ hasText: info.samples[0]! }).waitFor();
    await ended(discover);
    await expect.poll(() => discover.answer.innerText()).toMatch(/.{20}/);
  });
});
