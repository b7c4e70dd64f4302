// What one frame of an answer costs in a thread of 1,000 messages: elements whose style the browser
// computes again, counted by itself. Part of scroll.mjs.
import { PATIENCE, settled, watch } from "../../../scripts/browser.mjs";
import { Tasks } from "./tasks.mjs";

/** Elements a frame: the text that grows, the spacer below it, and what they stand in. */
const MOST = 40;

export async function checkStreaming(browser, url, longUrl, check) {
  const messages = await messagesOf(browser, longUrl);
  const page = watch(await browser.newPage({ reducedMotion: "reduce", viewport: { width: 900, height: 800 } }));
  page.setDefaultTimeout(PATIENCE);
  await page.goto(url);
  await page.evaluate((messages) => globalThis.client.show({ threadId: "long", messages }), messages);
  const turns = messages.filter(({ role }) => role === "user").length;
  await page.waitForSelector(".ps-turn[data-last] .ps-md");
  await settled(page);
  const tasks = await Tasks.of(page);
  await write(page, messages, 1, 5);
  const { restyled } = await tasks.during(() => write(page, messages, 5, 25));
  const most = Math.max(...restyled);
  check(`each frame of an answer below ${turns} turns restyles few elements (${most})`, most <= MOST);
  check(`which is counted (${restyled.length} frames)`, restyled.length >= 10);
  await checkNeighbours(page, messages, check);
  await page.close();
}

/** How turns look by what stands around them, which their attributes say. */
async function checkNeighbours(page, messages, check) {
  const thread = [
    ...messages,
    { id: "q", role: "user", content: "And?" },
    { id: "a", role: "assistant", content: "So" },
  ];
  const error = { code: "llm_error", message: "The model failed." };
  const asked = { id: "i", kind: "approval", from: "run", message: "Delete it?" };
  const looks = async (change) => {
    const before = {
      messages: thread,
      status: "idle",
      streamingMessageId: undefined,
      error: undefined,
      questions: [],
    };
    await page.evaluate((thread) => globalThis.client.show(thread), { ...before, stoppedMessageIds: [], ...change });
    await settled(page);
    return page.evaluate(() => {
      const turns = [...document.querySelectorAll(".ps-turn")].slice(-3).map((turn) => getComputedStyle(turn));
      const last = [...document.querySelectorAll(".ps-turn")].at(-1);
      const isShown = (selector) => (last.querySelector(selector)?.getClientRects().length ?? 0) > 0;
      return {
        skipped: turns.map(({ contentVisibility }) => contentVisibility).join(),
        gap: turns.at(-1).marginBlockStart,
        stopped: isShown(".ps-stopped"),
        actions: isShown(".ps-actions"),
      };
    });
  };
  const plain = await looks({ stoppedMessageIds: ["a"] });
  check(`the last two turns are always drawn (${plain.skipped})`, plain.skipped === "auto,visible,visible");
  check(`a turn stands close below an answer (${plain.gap})`, plain.gap === "-16px");
  check("a stopped answer says so", plain.stopped);
  check("unless an error below says it", !(await looks({ stoppedMessageIds: ["a"], error })).stopped);
  const call = { id: "t", type: "function", function: { name: "delete_index", arguments: "{}" } };
  const calls = [...thread.slice(0, -1), { id: "a", role: "assistant", toolCalls: [call] }];
  check("an empty row of buttons keeps its room", (await looks({ messages: calls })).actions);
  check("but not above a question", !(await looks({ messages: calls, questions: [asked] })).actions);
}

async function messagesOf(browser, url) {
  const page = watch(await browser.newPage());
  await page.goto(url);
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
