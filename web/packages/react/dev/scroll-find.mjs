// The tray's own find, through a thread of 2,000 messages of which few are loaded, and fewer drawn.
// Part of scroll.mjs.
import { PATIENCE, settled, watch } from "../../../scripts/browser.mjs";

export async function checkFind(browser, url, check) {
  const page = watch(await browser.newPage({ reducedMotion: "reduce", viewport: { width: 900, height: 800 } }));
  page.setDefaultTimeout(PATIENCE);
  await page.goto(url);
  await page.waitForSelector(".ps-scroller");
  await page.evaluate(() => globalThis.client.openThread("long"));
  await page.waitForSelector(".ps-turn[data-last] .ps-md");
  await settled(page);
  await page.focus(".ps-scroller");
  await page.keyboard.press("Control+f");
  await page.waitForSelector(".ps-find input:focus");
  /** What is marked, whether it is in view, and how many turns are drawn; once nothing moves. */
  const found = async (count) => {
    await page.waitForFunction(
      (count) => document.querySelector(".ps-find [role=status]").textContent === count,
      count,
    );
    return page.evaluate(async () => {
      const log = document.querySelector(".ps-scroller");
      const look = () => {
        const [range] = CSS.highlights.get("ps-found") ?? [];
        const at = range?.getBoundingClientRect();
        const view = log.getBoundingClientRect();
        return {
          text: range?.toString(),
          turn: range?.startContainer.parentElement.closest(".ps-turn")?.dataset.turn,
          seen: at !== undefined && at.height > 0 && at.top >= view.top && at.bottom <= view.bottom,
          drawn: document.querySelectorAll(".ps-turns > .ps-turn:not([data-gap])").length,
          at: log.scrollTop,
        };
      };
      for (let before = "", same = 0; same < 8;) {
        await new Promise(requestAnimationFrame);
        const now = JSON.stringify(look());
        same = now === before ? same + 1 : 0;
        before = now;
      }
      return look();
    });
  };
  const is = (what, now, turn, text) => {
    const { seen, drawn } = now;
    check(`${what} (${JSON.stringify(now)})`, now.turn === turn && now.text === text && seen && drawn <= 60);
  };

  // of no message that was loaded when the thread opened
  await page.keyboard.type("question 12: ");
  is("a message far above is found, and in view", await found("1 of 1"), "q12", "Question 12: ".trim());
  await page.fill(".ps-find input", "answer 30");
  const { turn } = await found("11 of 11");
  check(`matches begin with the newest (${turn})`, turn === "q309");
  await page.keyboard.press("Enter");
  is("the next one after the last is the first", await found("1 of 11"), "q30", "Answer 30");
  await page.keyboard.press("Shift+Enter");
  is("and the one before the first the last", await found("11 of 11"), "q309", "Answer 30");
  const { at } = await found("11 of 11");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".ps-find", { state: "detached" });
  const left = await page.evaluate(() => ({
    at: document.querySelector(".ps-scroller").scrollTop,
    marked: CSS.highlights.has("ps-found"),
    focused: document.activeElement.className,
  }));
  check(
    `the reader stays there when it closes (${JSON.stringify(left)})`,
    Math.abs(left.at - at) <= 1 && !left.marked && left.focused === "ps-scroller",
  );
  await page.close();
}
