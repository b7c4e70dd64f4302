// What one frame of an answer costs in a thread of 1,000 messages that are all drawn: elements
// whose style the browser computes again, counted by itself. Part of scroll.mjs.
import { PATIENCE, settled, watch } from "../../../scripts/browser.mjs";
import { Tasks } from "./tasks.mjs";

/** Elements a frame: the text that grows, the spacer below it, and what they stand in. */
const MOST = 40;

/** Runs in the page: is idle at once, so that all turns are drawn without waiting. */
function eager() {
  const drain = { didTimeout: false, timeRemaining: () => 50 };
  globalThis.requestIdleCallback = (work) => setTimeout(() => work(drain));
  globalThis.cancelIdleCallback = (id) => clearTimeout(id);
}

export async function checkStreaming(browser, url, longUrl, check) {
  const messages = await messagesOf(browser, longUrl);
  const page = watch(await browser.newPage({ reducedMotion: "reduce", viewport: { width: 900, height: 800 } }));
  page.setDefaultTimeout(PATIENCE);
  await page.addInitScript(eager);
  await page.goto(url);
  await page.evaluate((messages) => globalThis.client.show({ threadId: "long", messages }), messages);
  const turns = messages.filter(({ role }) => role === "user").length;
  await page.waitForFunction((turns) => document.querySelectorAll(".ps-turn .ps-answer-body").length >= turns, turns);
  await settled(page);
  const tasks = await Tasks.of(page);
  await write(page, messages, 1, 5);
  const { restyled } = await tasks.during(() => write(page, messages, 5, 25));
  const most = Math.max(...restyled);
  check(`each frame of an answer below ${turns} turns restyles few elements (${most})`, most <= MOST);
  check(`which is counted (${restyled.length} frames)`, restyled.length >= 10);
  await page.close();
}

async function messagesOf(browser, url) {
  const page = watch(await browser.newPage());
  await page.goto(String(url));
  await page.waitForFunction(() => globalThis.messages);
  const messages = await page.evaluate(() => globalThis.messages);
  await page.close();
  return messages;
}

/** Grows the answer to a new question, a piece every second frame. */
function write(page, messages, from, to) {
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
