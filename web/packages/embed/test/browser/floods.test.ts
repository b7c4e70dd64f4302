// Answers that are made to stop the page: the real tray and the real server. The page goes on
// answering, and so it does when the thread is opened again.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { inLong, isLong } from "../../../../long.js";
import { floods } from "../../../react/dev/floods.js";
import { every, startSpeeches, type Speech } from "./provider.js";
import { ask, describeInBrowser, staged } from "./stage.js";

/**
 * Nothing holds the page up for longer, in milliseconds: some tenths of a second on a machine that
 * has nothing else to do. Without bounds it was a minute and more. Only the long version looks at
 * the clock.
 */
const PATIENCE = isLong ? 5_000 : Infinity;

/** Those that `make test` plays. */
const SAMPLE = new Set(["cells", "links"]);

const KB = 1024;
const texts: Readonly<Record<string, string>> = {
  links: floods["[a](http://x/"]!(420 * KB),
  addresses: floods["http://a.example/ "]!(270 * KB),
  ticks: floods["a` "]!(180 * KB),
  cells: floods["a table of 4"]!(88 * KB),
  word: floods["no space"]!(1500 * KB),
  quotes: floods[">> pyramid"]!(100 * KB),
  items: floods["- a\\n\\n"]!(400 * KB),
  definitions: floods["[n] before [n]: "]!(400 * KB),
  marks: floods["*_a"]!(400 * KB),
  paragraphs: floods.paragraphs!(1000 * KB),
  code: floods["``` open"]!(1000 * KB),
};

/** In some hundred pieces, over two seconds. */
function piecewise(text: string): Speech {
  const size = Math.ceil(text.length / 100);
  return every(
    20,
    Array.from({ length: 100 }, (_, index) => text.slice(index * size, (index + 1) * size)),
  );
}

const { open } = staged(() =>
  startSpeeches(Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, piecewise(text)]))),
);

/** Runs in the page, before anything else does. */
function watch() {
  const seen = { longest: 0 };
  Object.assign(globalThis, { seen });
  let before = performance.now();
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    const now = performance.now();
    seen.longest = Math.max(seen.longest, now - before);
    before = now;
    setTimeout(() => port2.postMessage(0), 5);
  };
  port2.postMessage(0);
}

/** How long the page held up everything else at most, since this was asked last. */
const longestIn = (page: Page) =>
  page.evaluate(() => {
    const { seen } = globalThis as unknown as { seen: { longest: number } };
    const { longest } = seen;
    seen.longest = 0;
    return longest;
  });

const isOver = (page: Page) => page.getByRole("button", { name: "Answer again" }).last().waitFor({ timeout: 120_000 });

/**
 * How long the text of the last answer is, once it is drawn to its end: portions of it come frame
 * by frame. The offer to format the rest does not count: its code is loaded when it is first made.
 */
const drawn = (page: Page) =>
  page.evaluate(async () => {
    const answer = () =>
      [...document.querySelector("pageside-tray")!.shadowRoot!.querySelectorAll(".ps-answer-body .ps-md")].at(-1);
    const blocks = () => [...(answer()?.children ?? [])].filter((each) => each.role !== "note");
    const length = () => blocks().reduce((sum, each) => sum + each.textContent.length, 0);
    for (let before = -1, same = 0; same < 20;) {
      await new Promise(requestAnimationFrame);
      const now = length();
      same = now > 0 && now === before ? same + 1 : 0;
      before = now;
    }
    return { length: length(), nodes: blocks().reduce((sum, each) => sum + 1 + each.querySelectorAll("*").length, 0) };
  });

describeInBrowser("the page goes on answering", () => {
  for (const name of Object.keys(texts))
    test(`while ${name} are written, and when they are there again`, SAMPLE.has(name) ? {} : inLong, async () => {
      const { page } = await open({ prepare: (page) => page.addInitScript(watch) });
      await page.getByRole("textbox", { name: "Message" }).waitFor();
      await longestIn(page);
      await ask(page, `Please say ${name}.`);
      await isOver(page);
      const first = await drawn(page);
      const writing = await longestIn(page);
      await page.reload();
      await isOver(page);
      const again = await drawn(page);
      const opening = await longestIn(page);
      expect(again).toEqual(first);
      expect(again.length).toBeGreaterThan(texts[name]!.length / 4);
      expect(again.nodes).toBeLessThan(30_000);
      expect(writing).toBeLessThan(PATIENCE);
      expect(opening).toBeLessThan(PATIENCE);
    });
});
