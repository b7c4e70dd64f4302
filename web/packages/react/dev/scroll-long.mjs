// How a thread of 1,000 messages opens and scrolls, of which only what is near the view is drawn.
// Part of scroll.mjs.
import { eventually, PATIENCE, settled, watch } from "../../../scripts/browser.mjs";

/** At most so many turns are drawn, and so many elements are on the page. */
const MOST_TURNS = 60;
const MOST_NODES = 4000;

/** Runs in the page. */
function instruments() {
  const frame = () => new Promise(requestAnimationFrame);
  const log = () => document.querySelector(".ps-scroller");
  const turns = () => [...document.querySelectorAll(".ps-turns > [data-turn]")];
  const isDrawn = (turn) => turn.dataset.gap === undefined;
  const inView = () => {
    const { top, bottom } = log().getBoundingClientRect();
    return turns().filter((turn) => turn.getBoundingClientRect().bottom > top && turn.getBoundingClientRect().top < bottom); // prettier-ignore
  };
  const rest = async () => {
    const state = () => [log().scrollTop, log().scrollHeight, inView().every(isDrawn)].join();
    for (let before = "", same = 0; same < 6;) {
      await frame();
      const now = state();
      same = now === before && now.endsWith("true") ? same + 1 : 0;
      before = now;
    }
  };
  const look = () => {
    const view = log().getBoundingClientRect();
    const [first] = inView();
    return {
      drawn: turns().filter(isDrawn).length,
      nodes: document.querySelectorAll("*").length,
      toEnd: Math.round(log().scrollHeight - log().clientHeight - log().scrollTop),
      scrollTop: Math.round(log().scrollTop),
      first: first.dataset.turn,
      firstAt: Math.round(first.getBoundingClientRect().top - view.top),
      answer: turns().at(-1).textContent,
      pill: document.querySelector(".ps-to-end")?.textContent,
    };
  };
  Object.assign(globalThis, {
    rest,
    look,
    /**
     * Scrolls up; the most that was drawn on the way, how far a turn in view was moved at most by
     * what was drawn above it, and how often a part of the view was empty when a step was painted.
     */
    async climb(by, steps) {
      const worst = { drawn: 0, nodes: 0, moved: 0, empty: 0 };
      for (let step = 0; step < steps; step++) {
        const seen = inView().find(isDrawn);
        const { top } = seen.getBoundingClientRect();
        log().scrollTop -= by;
        await frame();
        await frame();
        if (!inView().every(isDrawn)) worst.empty++;
        await rest();
        const { drawn, nodes } = look();
        worst.moved = Math.max(worst.moved, Math.abs(seen.getBoundingClientRect().top - top - by));
        worst.drawn = Math.max(worst.drawn, drawn);
        worst.nodes = Math.max(worst.nodes, nodes);
      }
      return worst;
    },
  });
}

export async function checkLongThread(browser, url, check) {
  const page = watch(await browser.newPage({ reducedMotion: "reduce", viewport: { width: 900, height: 800 } }));
  page.setDefaultTimeout(PATIENCE);
  await page.addInitScript(instruments);
  await page.goto(url);
  await page.waitForSelector(".ps-scroller");
  await page.evaluate(() => globalThis.client.openThread("long"));
  await page.waitForSelector(".ps-turn[data-last] .ps-md");
  await settled(page);
  const look = () => page.evaluate(() => globalThis.look());
  const rest = () => page.evaluate(() => globalThis.rest());
  const turns = await page.evaluate(() => globalThis.messages.filter(({ role }) => role === "user").length);
  await rest();

  let now = await look();
  check("a long thread opens at its end", now.toEnd <= 8 && now.answer.includes(`Answer ${turns}.`));
  check(`which is nothing new (${now.pill})`, now.pill === undefined);
  check(`of ${turns} turns few are drawn (${now.drawn})`, turns >= 400 && now.drawn <= MOST_TURNS);
  check(`and few elements are there (${now.nodes})`, now.nodes <= MOST_NODES);

  const worst = await page.evaluate(() => globalThis.climb(400, 60));
  const told = JSON.stringify(worst);
  check(`also on the way up (${told})`, worst.drawn <= MOST_TURNS && worst.nodes <= MOST_NODES);
  check(`on which the reader stays where they are (${told})`, worst.moved <= 1);
  check(`and sees no empty room (${told})`, worst.empty === 0);
  now = await look();
  check(`and nothing new announced (${now.pill})`, now.pill === "");
  await checkKept(page, check);

  await page.focus(".ps-scroller");
  for (const [key, reached] of [
    ["End", ({ toEnd }) => toEnd <= 8],
    ["Home", ({ scrollTop, first }) => scrollTop === 0 && first === "q1"],
    ["End", ({ toEnd }) => toEnd <= 8],
  ]) {
    // A turn that is drawn on the way may leave the end a little further away.
    await eventually(async () => {
      await page.keyboard.press(key);
      await rest();
      if (!reached(await look())) throw new Error(`${key} does not arrive`);
    });
    now = await look();
    check(`${key} arrives with few turns drawn (${now.drawn})`, now.drawn <= MOST_TURNS);
  }
  await page.close();
}

/** What would lose something stays, however far the reader goes; all that is selected is there. */
async function checkKept(page, check) {
  const rest = () => page.evaluate(() => globalThis.rest());
  const away = async () => {
    await page.evaluate(() => (document.querySelector(".ps-scroller").scrollTop -= 8000));
    await rest();
  };
  /** Marks the first turn in view that has such an element, and returns the element. */
  const mark = async (selector) => {
    const [turn, found] = await page.evaluate((selector) => {
      const turns = [...document.querySelectorAll(".ps-turns > [data-turn]:not([data-gap], [data-last], [data-near])")];
      const turn = turns.find((turn) => turn.querySelector(selector));
      turn?.scrollIntoView();
      return [turn?.dataset.turn, turn?.querySelector(selector).className];
    }, selector);
    await rest();
    return { turn, found, element: page.locator(`[data-turn="${turn}"] ${selector}`).first() };
  };
  const isThere = (turn) => page.$(`[data-turn="${turn}"]:not([data-gap])`).then(Boolean);

  const plain = await mark(".ps-bubble");
  await away();
  check("a turn far from the view is not drawn", !(await isThere(plain.turn)));

  const focused = await mark(".ps-answer button");
  await focused.element.focus();
  await away();
  check("a turn with the focus stays", await isThere(focused.turn));
  await page.focus(".ps-scroller");

  await page.keyboard.press("Control+a");
  const questions = await page.evaluate(() =>
    globalThis.messages.filter(({ role }) => role === "user").map(({ content }) => content),
  );
  await page.waitForFunction((first) => document.querySelector(".ps-bubble")?.textContent === first, questions[0]);
  const text = await page.evaluate(() => String(getSelection()));
  const missing = questions.filter((question) => !text.includes(question));
  check(`what is selected is all there (missing: ${missing.length} of ${questions.length})`, missing.length === 0);
  await page.evaluate(() => getSelection().removeAllRanges());
  await away();
  const { drawn } = await page.evaluate(() => globalThis.look());
  check(`and goes with the selection (${drawn})`, drawn <= MOST_TURNS);

  const edited = await mark(".ps-question > button");
  await edited.element.click();
  await page.locator(`[data-turn="${edited.turn}"] textarea`).fill("Half a question");
  await page.focus(".ps-scroller");
  await away();
  const kept = page.locator(`[data-turn="${edited.turn}"] textarea`);
  check("a form stays, with what was written", (await kept.count()) === 1 && (await kept.inputValue()) === "Half a question"); // prettier-ignore
}
