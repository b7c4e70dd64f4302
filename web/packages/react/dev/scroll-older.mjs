// How a thread of 2,000 messages scrolls that opens with its newest turns. Part of scroll.mjs.
import { eventually, PATIENCE, settled, watch } from "../../../scripts/browser.mjs";

export async function checkOlder(browser, url, check) {
  const page = watch(await browser.newPage({ reducedMotion: "reduce", viewport: { width: 900, height: 800 } }));
  page.setDefaultTimeout(PATIENCE);
  await page.goto(url);
  await page.waitForSelector(".ps-scroller");
  await page.evaluate(() => globalThis.client.openThread("long"));
  await page.waitForSelector(".ps-turn[data-last] .ps-md");
  await settled(page);
  const count = () => page.evaluate(() => globalThis.client.getSnapshot().messages.length);
  /** Resolves when nothing is loaded or moves any more. */
  const rest = () =>
    page.evaluate(async () => {
      const log = document.querySelector(".ps-scroller");
      const state = () => [log.scrollTop, log.scrollHeight, globalThis.client.getSnapshot().older].join();
      for (let before = "", same = 0; same < 20;) {
        await new Promise(requestAnimationFrame);
        const now = state();
        same = now === before && !now.endsWith("loading") ? same + 1 : 0;
        before = now;
      }
    });
  /** The first question in view, and where. */
  const seen = () =>
    page.evaluate(() => {
      const { top } = document.querySelector(".ps-scroller").getBoundingClientRect();
      const bubbles = [...document.querySelectorAll(".ps-bubble")];
      const first = bubbles.find((bubble) => bubble.getBoundingClientRect().top >= top);
      return { question: first.textContent, at: first.getBoundingClientRect().top - top };
    });

  await rest();
  const opened = await count();
  check(`a thread of 2,000 messages opens with few of them (${opened})`, opened >= 100 && opened < 250);

  // to the very top, where browsers do not keep what is in view in place by themselves
  await page.evaluate(() => {
    globalThis.load = globalThis.client.loadOlder;
    globalThis.client.loadOlder = async () => {};
    document.querySelector(".ps-scroller").scrollTop = 0;
  });
  await rest();
  const before = await seen();
  await page.evaluate(() => globalThis.load());
  await rest();
  const after = await seen();
  check(`older turns come (${await count()})`, (await count()) >= opened + 100);
  check(
    `and leave what is read in place (${JSON.stringify([before, after])})`,
    after.question === before.question && Math.abs(after.at - before.at) <= 1,
  );

  await page.evaluate(() => (globalThis.client.loadOlder = globalThis.load));
  await page.focus(".ps-scroller");
  await eventually(async () => {
    await page.keyboard.press("Home");
    await rest();
    if ((await count()) < 2000) throw new Error("the keyboard does not reach the beginning");
  });
  await eventually(async () => {
    await page.keyboard.press("Home");
    await rest();
    const { question } = await seen();
    const first = await page.evaluate(() => globalThis.client.getSnapshot().messages[0].content);
    if (question !== first) throw new Error(`the top is ${question}`);
  });
  check("the beginning has no button", (await page.$(".ps-older button")) === null);
  await page.close();
}
