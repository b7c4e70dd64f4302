// What one frame of an answer costs in a thread of 1,000 messages: elements whose style the browser
// computes again, counted by itself. And how turns look by what stands around them.
import { afterAll, beforeAll, expect } from "vitest";
import { settled, watch } from "../../../../scripts/browser.mjs";
import { launch } from "../../../../scripts/chromium.mjs";
import { chromium, inBrowser, openPage } from "../../../../scripts/stage.ts";
import { Tasks } from "../../dev/tasks.mjs";
import { builtPages } from "./pages.mjs";

const { urlOf, pageOf } = builtPages("production");

/** Elements a frame: the text that grows, the spacer below it, and what they stand in. */
const MOST = 40;

let page, messages, browser;
beforeAll(async () => {
  if (!chromium) return;
  const long = await openPage(pageOf("open.html"));
  await long.page.waitForFunction(() => globalThis.messages);
  messages = await long.page.evaluate(() => globalThis.messages);
  await long.close();
  // A trace has what all pages of a browser do: this one has a browser of its own.
  browser = await launch(chromium);
  page = watch(await browser.newPage({ reducedMotion: "reduce", viewport: { width: 900, height: 800 } }));
  page.setDefaultTimeout(180_000);
  await page.goto(urlOf({ entry: "long" }));
  await page.evaluate((messages) => globalThis.client.show({ threadId: "long", messages }), messages);
  await page.locator(".ps-turn[data-last] .ps-md").waitFor();
  await settled(page);
});
afterAll(() => browser?.close());

inBrowser("each frame of an answer below 1,000 messages restyles few elements", async () => {
  const tasks = await Tasks.of(page);
  await write(1, 5);
  const { restyled } = await tasks.during(() => write(5, 25));
  expect(Math.max(...restyled)).toBeLessThanOrEqual(MOST);
  expect(restyled.length, "frames that were counted").toBeGreaterThanOrEqual(10);
});

/** Grows the answer to a new question, a piece every second frame. */
function write(from, to) {
  return page.evaluate(
    async ([messages, from, to]) => {
      const frame = () => new Promise(requestAnimationFrame);
      for (let piece = from; piece < to; piece++) {
        const content = "A *paragraph* of the answer.\n\n- and a list\n\n".repeat(piece);
        globalThis.client.show({
          messages: [...messages, { id: "q", role: "user", content: "And?" }, { id: "a", role: "assistant", content }],
          status: "streaming",
          streamingMessageId: "a",
        });
        await frame();
        await frame();
      }
    },
    [messages, from, to],
  );
}

const question = { id: "q", role: "user", content: "And?" };
const call = { id: "t", type: "function", function: { name: "delete_index", arguments: "{}" } };
const called = { id: "a", role: "assistant", toolCalls: [call] };
const stoppedMessageIds = ["a"];

inBrowser.each([
  ["a stopped answer says so", { stoppedMessageIds }, { stopped: true }],
  [
    "unless an error below says it",
    { stoppedMessageIds, error: { code: "llm_error", message: "The model failed." } },
    { stopped: false },
  ],
  ["an empty row of buttons keeps its room", { last: called }, { actions: true }],
  [
    "but not above a question",
    { last: called, questions: [{ id: "i", kind: "approval", from: "run", message: "Delete it?" }] },
    { actions: false },
  ],
])("the last two turns are always drawn, a turn stands close below an answer; %s", async (_, change, shown) => {
  // prettier-ignore
  const { last = { id: "a", role: "assistant", content: "So" }, ...more } = change;
  await page.evaluate((thread) => globalThis.client.show(thread), {
    messages: [...messages, question, last],
    status: "idle",
    ...{ streamingMessageId: undefined, error: undefined, questions: [], stoppedMessageIds: [] },
    ...more,
  });
  await settled(page);
  const looks = await page.evaluate(() => {
    const turns = [...document.querySelectorAll(".ps-turn")].slice(-3);
    const isShown = (selector) => (turns.at(-1).querySelector(selector)?.getClientRects().length ?? 0) > 0;
    const styles = turns.map((turn) => getComputedStyle(turn));
    return {
      skipped: styles.map(({ contentVisibility }) => contentVisibility),
      gap: styles.at(-1).marginBlockStart,
      stopped: isShown(".ps-stopped"),
      actions: isShown(".ps-actions"),
    };
  });
  expect(looks).toMatchObject({ skipped: ["auto", "visible", "visible"], gap: "-16px", ...shown });
});
