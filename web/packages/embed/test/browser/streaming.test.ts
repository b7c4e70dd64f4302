// How an answer is written: the real tray and the real server, with models of any pace. The long
// version measures what a reader sees in real time. Always, the page has a clock of the test's own:
// each frame comes when the test says so, and what it shows is counted.
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, test } from "vitest";
import { inLong } from "../../../../long.js";
import { atOnce, every, startSpeeches } from "./provider.js";
import { ask, describeInBrowser, inBrowser, staged } from "./stage.js";

/** A frame later than this, in milliseconds, is one of a machine that has other things to do. */
const LATE = 34;

/** In about so many milliseconds the tray shows what came at once. */
const SPREAD = 170;

const words = Array.from({ length: 100 }, (_, index) => `${["some", "word", "another", "thing"][index % 4]}${index} `);
const answer = words.join("").trim();

const speeches = {
  five: every(5, words),
  ten: every(10, words),
  twenty: every(20, words),
  thirtythree: every(33, words),
  sixty: every(60, words),
  bursts: every(300, words, 10),
  pairs: every(150, words, 25),
  whole: atOnce(answer),
  slowly: every(100, words),
};

const stage = staged(() => startSpeeches(speeches));

/** Moments, in milliseconds, and lengths of the text at them. */
type Track = [at: number, length: number][];

interface Seen {
  /** When frames began. */
  frames: number[];
  /** What had come over the network. */
  arrived: Track;
  /** What was in the document. */
  shown: Track;
}

/** Runs in the page, before anything else does. */
function watch() {
  const seen: Seen = { frames: [], arrived: [], shown: [] };
  Object.assign(globalThis, { seen });
  const inPage = globalThis.fetch;
  const read = async (body: ReadableStream<Uint8Array>) => {
    let length = 0;
    let rest = "";
    const decoder = new TextDecoder();
    for (const reader = body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) return;
      const events = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = events.pop()!;
      for (const event of events) {
        const data = /^data: ?(.*)$/m.exec(event)?.[1];
        const { type, delta = "" } = JSON.parse(data ?? "{}") as { type?: string; delta?: string };
        if (type === "TEXT_MESSAGE_CONTENT") length += delta.length;
      }
      if (length > (seen.arrived.at(-1)?.[1] ?? 0)) seen.arrived.push([performance.now(), length]);
    }
  };
  globalThis.fetch = async (...args) => {
    const response = await inPage(...args);
    if (!/event-stream/.test(response.headers.get("content-type") ?? "") || !response.body) return response;
    const [own, other] = response.body.tee();
    void read(other).catch(() => {});
    return new Response(own, response);
  };
  requestAnimationFrame(function frame(now) {
    seen.frames.push(now);
    requestAnimationFrame(frame);
  });
  const look = () => {
    const texts = document.querySelector("pageside-tray")?.shadowRoot?.querySelectorAll(".ps-answer-body .ps-md");
    const length = [...(texts ?? [])].at(-1)?.textContent?.length ?? 0;
    if (length !== (seen.shown.at(-1)?.[1] ?? 0)) seen.shown.push([performance.now(), length]);
  };
  customElements.whenDefined("pageside-tray").then(() => {
    const find = () => {
      const root = document.querySelector("pageside-tray")?.shadowRoot;
      if (!root) return void requestAnimationFrame(find);
      new MutationObserver(look).observe(root, { subtree: true, childList: true, characterData: true });
    };
    find();
  }, console.error);
}

/** With `clock` the test can move the page's clock, and with it its timers and frames. */
async function open({ clock = false, ...options }: BrowserContextOptions & { clock?: boolean } = {}): Promise<Page> {
  const prepare = async (page: Page) => {
    if (clock) await page.clock.install();
    await page.addInitScript(watch);
  };
  return (await stage.open({ prepare, ...options })).page;
}

const askFor = (page: Page, name: keyof typeof speeches) => ask(page, `Please say ${name}.`);

const lastAnswer = (page: Page) => page.locator(".ps-turn").last().locator(".ps-answer-body .ps-md");
const isOver = (page: Page) => page.getByRole("button", { name: "Answer again" }).last().waitFor();
const seenBy = (page: Page) => page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen);

const longest = (gaps: readonly number[]) => Math.max(0, ...gaps);
const gapsOf = (moments: readonly number[]) => moments.slice(1).map((at, index) => at - moments[index]!);

/** What of it is the tray's doing, apart from frames that came late. */
function judge({ frames, arrived, shown }: Seen) {
  const [begin, end] = [arrived[0]![0], shown.at(-1)![0]];
  const late = longest(gapsOf(frames.filter((at) => at > begin - 500 && at < end + 100)));
  const all = arrived.at(-1)![1];
  // Something was there to be shown, and was not, for so long.
  let held = 0;
  let jump = 0;
  shown.forEach(([at, length], index) => {
    const [beforeAt, before] = shown[index - 1] ?? [0, 0];
    const [since] = arrived.find(([, length]) => length > before) ?? [at];
    held = Math.max(held, at - Math.max(beforeAt, since));
    jump = Math.max(jump, length - before);
  });
  const behind = longest(
    arrived.map(([at, length]) => (shown.find(([, so]) => so >= length - 1)?.[0] ?? Infinity) - at),
  );
  // In the time of a late frame so much more is due.
  const most = longest(
    arrived.map(([at, length]) => length - (arrived.findLast(([then]) => then < at - SPREAD)?.[1] ?? 0)),
  );
  const perFrame = (most / SPREAD) * late;
  return { late, held, behind, jump: jump / all, due: perFrame / all };
}

/**
 * A page whose frames come when they should is held to the promise; on a busy machine each step may
 * be as late as they were.
 */
function expectEven({ late, held, behind, jump, due }: ReturnType<typeof judge>) {
  const calm = late <= LATE;
  expect(held).toBeLessThanOrEqual(calm ? 100 : 250 + late);
  expect(behind).toBeLessThanOrEqual(calm ? 250 + late : 250 + 3 * late);
  // What comes within a fifth of a second cannot be shown in twenty steps: a screen has twelve
  // frames in that time.
  expect(jump).toBeLessThanOrEqual(calm ? (due > 1 / 20 ? 1.25 * due : 1 / 20) : 1 / 20 + due);
}

describeInBrowser("an answer is written evenly, and never a quarter of a second behind", inLong, () => {
  test.each(["five", "ten", "twenty", "thirtythree", "sixty", "bursts", "pairs", "whole"] as const)(
    "%s",
    async (name) => {
      const page = await open();
      await askFor(page, name);
      await lastAnswer(page).filter({ hasText: answer }).waitFor();
      await isOver(page);
      const found = judge(await seenBy(page));
      expectEven(found);
    },
  );

  test("as it arrives where less motion is wanted", async () => {
    const page = await open({ reducedMotion: "reduce" });
    await askFor(page, "twenty");
    await lastAnswer(page).filter({ hasText: answer }).waitFor();
    const { behind, late } = judge(await seenBy(page));
    expect(behind).toBeLessThanOrEqual(100 + 2 * late);
  });
});

/** Milliseconds from one frame to the next. */
const FRAME = 16; // as the clock has them

/** Shows frame after frame, and returns how much of the last answer is there after each. */
async function frames(page: Page, count: number): Promise<number[]> {
  const lengths = [];
  for (let frame = 0; frame < count; frame++) {
    await page.clock.runFor(FRAME);
    lengths.push((await lastAnswer(page).textContent())!.length);
  }
  return lengths;
}

/** Asks while the page's clock stands still, and waits until all of the answer has come. */
async function askAtRest(page: Page, name: keyof typeof speeches): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(`Please say ${name}.`);
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await seenBy(page)).arrived.at(-1)?.[1]).toBe(answer.length);
}

describeInBrowser("with a clock that the test moves", () => {
  test("an answer that came at once is shown in even steps, and whole within a quarter of a second", async () => {
    const page = await open({ clock: true });
    await askAtRest(page, "whole");
    const shown = await frames(page, 16);
    expect(Math.max(...gapsOf([0, ...shown]))).toBeLessThanOrEqual(answer.length / 8);
    expect(shown.at(-1)).toBe(answer.length);
  });

  test("it is there with the first frame where less motion is wanted", async () => {
    const page = await open({ clock: true, reducedMotion: "reduce" });
    await askAtRest(page, "whole");
    expect(await frames(page, 1)).toEqual([answer.length]);
  });
});

inBrowser("what was written before a reload is there at once, and the rest is written on", async () => {
  const page = await open();
  await askFor(page, "slowly");
  await lastAnswer(page).filter({ hasText: "thing43" }).waitFor();
  await page.reload();
  await lastAnswer(page).filter({ hasText: "thing43" }).waitFor();
  const { shown } = await seenBy(page);
  expect(shown[0]![1]).toBeGreaterThanOrEqual(answer.indexOf("thing43"));
  await lastAnswer(page).filter({ hasText: answer }).waitFor();
  await isOver(page);
});
