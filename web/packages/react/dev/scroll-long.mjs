// How a thread of 1,000 messages opens and scrolls while its earlier turns are drawn. Part of
// scroll.mjs.
import { eventually, PATIENCE, settled, watch } from "../../../scripts/browser.mjs";

/**
 * Runs in the page: it is idle only when it is told to be, so that nothing depends on how fast the
 * machine is.
 */
function instruments() {
  const waiting = new Map();
  let ids = 0;
  globalThis.requestIdleCallback = (work) => {
    waiting.set(++ids, work);
    return ids;
  };
  globalThis.cancelIdleCallback = (id) => waiting.delete(id);
  const frame = () => new Promise(requestAnimationFrame);
  const log = () => document.querySelector(".ps-scroller");
  const turns = () => [...document.querySelectorAll(".ps-turn")];
  const isDrawn = (turn) => turn.querySelector(".ps-bubble, .ps-answer-body") !== null;
  const inView = () => {
    const { top, bottom } = log().getBoundingClientRect();
    return turns().filter((turn) => turn.getBoundingClientRect().bottom > top && turn.getBoundingClientRect().top < bottom); // prettier-ignore
  };
  Object.assign(globalThis, {
    /**
     * Is idle `times` times, a frame after each; how far a turn in view has moved at most, in
     * pixels.
     */
    async idle(times) {
      const seen = inView().at(-1);
      const { top } = seen.getBoundingClientRect();
      let moved = 0;
      for (let n = 0; n < times && waiting.size > 0; n++) {
        const [[id, work]] = waiting;
        waiting.delete(id);
        let turns = 0;
        work({ didTimeout: false, timeRemaining: () => (++turns < 7 ? 50 : 0) });
        await frame();
        moved = Math.max(moved, Math.abs(seen.getBoundingClientRect().top - top));
      }
      return moved;
    },
    /**
     * Scrolls so that the view begins at `top`; resolves when what is in view is drawn and nothing
     * moves any more.
     */
    async goTo(top) {
      log().scrollTop = top;
      await globalThis.rest();
    },
    async rest() {
      const state = () => [log().scrollTop, log().scrollHeight, inView().every(isDrawn)].join();
      for (let before = "", same = 0; same < 6;) {
        await frame();
        const now = state();
        same = now === before && now.endsWith("true") ? same + 1 : 0;
        before = now;
      }
    },
    look() {
      const all = turns();
      const view = log().getBoundingClientRect();
      const [first] = inView();
      return {
        turns: all.length,
        drawn: all.filter(isDrawn).length,
        toEnd: Math.round(log().scrollHeight - log().clientHeight - log().scrollTop),
        scrollTop: Math.round(log().scrollTop),
        first: all.indexOf(first),
        firstAt: Math.round(first.getBoundingClientRect().top - view.top),
        question: first.querySelector(".ps-bubble")?.textContent,
        answer: all.at(-1).textContent,
        pill: document.querySelector(".ps-to-end")?.textContent,
      };
    },
  });
}

export async function checkLongThread(browser, url, check) {
  const open = async () => {
    const page = watch(await browser.newPage({ reducedMotion: "reduce", viewport: { width: 900, height: 800 } }));
    page.setDefaultTimeout(PATIENCE);
    await page.addInitScript(instruments);
    await page.goto(String(url));
    await page.waitForSelector(".ps-scroller");
    await page.evaluate(() => globalThis.client.openThread("long"));
    await page.waitForSelector(".ps-turn[data-last] .ps-md");
    await settled(page);
    await page.evaluate(() => globalThis.rest());
    return page;
  };
  const look = (page) => page.evaluate(() => globalThis.look());
  const rest = (page) => page.evaluate(() => globalThis.rest());
  const idle = (page, times) => page.evaluate((times) => globalThis.idle(times), times);

  let page = await open();
  let now = await look(page);
  const { turns } = now;
  check("a long thread opens at its end", now.toEnd <= 8 && now.answer.includes(`Answer ${turns}.`));
  check(`before its beginning is drawn (${now.drawn} of ${turns})`, turns >= 400 && now.drawn < 40);
  let moved = await idle(page, Infinity);
  now = await look(page);
  check(`and stays there while all of it is (${now.drawn}, moved by ${moved})`, now.drawn === turns && moved <= 1);
  check("which is nothing new", now.toEnd <= 8 && now.pill === undefined);
  await page.close();

  page = await open();
  await page.mouse.move(700, 300);
  await page.mouse.wheel(0, -2500);
  await page.waitForFunction(() => document.querySelector(".ps-to-end"));
  await rest(page);
  moved = await idle(page, 20);
  check(`a reader who went up stays where they are (moved by ${moved})`, moved <= 1);
  moved = await idle(page, Infinity);
  now = await look(page);
  check(`to the end (moved by ${moved})`, moved <= 1 && now.drawn === turns);
  check(`and sees nothing new announced (${now.pill})`, now.pill === "");
  await page.close();

  page = await open();
  await page.evaluate(() => globalThis.goTo(0));
  now = await look(page);
  check("the top of the scroll bar is the first turn", now.first === 0 && now.scrollTop === 0 && now.question);
  moved = await idle(page, Infinity);
  now = await look(page);
  check(`and stays it (moved by ${moved})`, now.first === 0 && now.scrollTop === 0 && moved <= 1);
  await page.focus(".ps-scroller");
  for (const [key, reached] of [
    ["End", ({ toEnd }) => toEnd <= 8],
    ["Home", ({ first, scrollTop }) => first === 0 && scrollTop === 0],
  ]) {
    // A turn that is drawn on the way may leave the end a little further away.
    await eventually(async () => {
      await page.keyboard.press(key);
      await rest(page);
      if (!reached(await look(page))) throw new Error(`${key} does not arrive`);
    });
  }
  await page.close();
}
