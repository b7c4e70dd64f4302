// The transcript as a reader sees it, where there is a layout.
import { expect } from "vitest";
import { settled, watch } from "../../../../scripts/browser.mjs";
import { visit } from "../../../../scripts/stage.ts";

/** At most so many turns are drawn, however long the thread is. */
export const MOST_TURNS = 60;

/** Opens a state of the gallery, or a page of ../../dev with `thread` to be opened in its tray. */
export async function read(url, { thread, ...options } = {}) {
  const reading = { reducedMotion: "reduce", viewport: { width: 900, height: 800 }, ...options };
  const { page } = await visit(url, {
    ...reading,
    prepare: async (page) => {
      watch(page);
      await page.addInitScript(instruments);
    },
  });
  const reader = new Reader(page);
  if (thread) {
    await page.locator(".ps-scroller").waitFor();
    await page.evaluate((thread) => globalThis.client.openThread(thread), thread);
    await page.locator(".ps-turn[data-last] .ps-md").waitFor();
  } else {
    await page.locator(".ps-turn").last().waitFor();
  }
  await settled(page);
  await reader.rest();
  return reader;
}

class Reader {
  constructor(page) {
    this.page = page;
  }

  /** Waits until the layout has been the same for so many frames, and all in view is drawn. */
  rest = (frames = 6) => this.page.evaluate((frames) => globalThis.rest(frames), frames);

  /** What is in view, and where; once nothing moves. */
  async look() {
    await this.rest();
    return this.page.evaluate(() => globalThis.look());
  }

  scrollBy = async (pixels) => {
    await this.page.evaluate((pixels) => (document.querySelector(".ps-scroller").scrollTop += pixels), pixels);
    await this.rest();
  };

  /** How many messages are loaded. */
  count = () => this.page.evaluate(() => globalThis.client.getSnapshot().messages.length);

  /** Presses a key until it has led there: a turn that is drawn on the way may move the end. */
  async reach(key, isThere) {
    await expect
      .poll(async () => {
        await this.page.keyboard.press(key);
        return isThere(await this.look());
      }, key)
      .toBe(true);
  }
}

/** Runs in the page, before anything else does. */
function instruments() {
  const frame = () => new Promise(requestAnimationFrame);
  const log = () => document.querySelector(".ps-scroller");
  const turns = () => [...document.querySelectorAll(".ps-turns > [data-turn]")];
  const isDrawn = (turn) => turn.dataset.gap === undefined;
  const isInView = (element) => {
    const { top, bottom } = log().getBoundingClientRect();
    const place = element.getBoundingClientRect();
    return place.bottom > top && place.top < bottom;
  };
  const inView = () => turns().filter(isInView);
  const pill = () => document.querySelector(".ps-to-end")?.textContent;
  const rest = async (frames) => {
    const layout = () => {
      const { scrollTop, scrollHeight } = log();
      const row = [...document.querySelectorAll(".ps-tool-row")].at(-1)?.getBoundingClientRect().top;
      const isReady = inView().every(isDrawn) && globalThis.client.getSnapshot().older !== "loading";
      return [scrollTop, scrollHeight, row, pill(), isReady].join();
    };
    for (let before = "", same = 0; same < frames;) {
      await frame();
      const now = layout();
      same = now === before && now.endsWith("true") ? same + 1 : 0;
      before = now;
    }
  };
  const look = () => {
    const { top } = log().getBoundingClientRect();
    const bubbles = [...document.querySelectorAll(".ps-bubble")];
    const first = bubbles.find((bubble) => bubble.getBoundingClientRect().top >= top);
    const last = bubbles.at(-1)?.getBoundingClientRect();
    return {
      drawn: turns().filter(isDrawn).length,
      nodes: document.querySelectorAll("*").length,
      scrollTop: Math.round(log().scrollTop),
      toEnd: Math.round(log().scrollHeight - log().clientHeight - log().scrollTop),
      firstTurn: inView()[0]?.dataset.turn,
      // the first question that begins in view, and the last one of all
      first: first?.textContent,
      firstAt: first && first.getBoundingClientRect().top - top,
      lastTop: last && Math.round(last.top - top),
      lastBottom: last && Math.round(last.bottom - top),
      answer: turns().at(-1)?.textContent,
      pill: pill(),
    };
  };
  /**
   * Scrolls up; the most that was drawn on the way, how far a turn in view was moved at most by
   * what was drawn above it, and how often a part of the view was empty when a step was painted.
   */
  const climb = async (by, steps) => {
    const worst = { drawn: 0, nodes: 0, moved: 0, empty: 0 };
    for (let step = 0; step < steps; step++) {
      const seen = inView().find(isDrawn);
      const { top } = seen.getBoundingClientRect();
      log().scrollTop -= by;
      await frame();
      await frame();
      if (!inView().every(isDrawn)) worst.empty++;
      await rest(6);
      const { drawn, nodes } = look();
      worst.moved = Math.max(worst.moved, Math.abs(seen.getBoundingClientRect().top - top - by));
      worst.drawn = Math.max(worst.drawn, drawn);
      worst.nodes = Math.max(worst.nodes, nodes);
    }
    return worst;
  };
  Object.assign(globalThis, { rest, look, climb });
}
