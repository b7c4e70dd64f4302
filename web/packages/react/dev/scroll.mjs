// How the transcript scrolls, in Chromium, where there is a layout. Exits 1 where it is not as it
// should be.
import { guard, PATIENCE, settled, watch } from "../../../scripts/browser.mjs";
import { withHarness } from "./browser.mjs";
import { checkEnds, checkLooks } from "./scroll-ends.mjs";
import { checkFind } from "./scroll-find.mjs";
import { checkLongThread } from "./scroll-long.mjs";
import { checkOlder } from "./scroll-older.mjs";
import { checkPress } from "./scroll-press.mjs";
import { checkStreaming } from "./scroll-streaming.mjs";

guard("scroll", 900);

let findings = 0;
const check = (what, held) => {
  if (!held) findings++;
  if (!held) console.error(`not so: ${what}`);
};

await withHarness(async (browser, urlOf, pageOf) => {
  const page = watch(await browser.newPage({ reducedMotion: "reduce", viewport: { width: 900, height: 800 } }));
  page.setDefaultTimeout(PATIENCE);
  await page.goto(urlOf({ entry: "long", theme: "light" }));
  await page.waitForSelector(".ps-turn");
  await settled(page);
  const at = () =>
    page.evaluate(() => {
      const log = document.querySelector(".ps-scroller");
      const from = log.getBoundingClientRect().top;
      const bubble = [...document.querySelectorAll(".ps-bubble")].at(-1).getBoundingClientRect();
      return {
        top: Math.round(bubble.top - from),
        bottom: Math.round(bubble.bottom - from),
        scrollTop: Math.round(log.scrollTop),
        toEnd: Math.round(log.scrollHeight - log.clientHeight - log.scrollTop),
        pill: document.querySelector(".ps-to-end")?.textContent,
      };
    });
  /** Waits until the layout has been the same for six frames. */
  const frames = () =>
    page.evaluate(async () => {
      const layout = () => {
        const { scrollTop, scrollHeight } = document.querySelector(".ps-scroller");
        const row = [...document.querySelectorAll(".ps-tool-row")].at(-1)?.getBoundingClientRect().top;
        return [scrollTop, scrollHeight, row, document.querySelector(".ps-to-end")?.textContent].join();
      };
      for (let before = layout(), same = 0, all = 0; same < 6 && all < 600; all++) {
        await new Promise(requestAnimationFrame);
        const now = layout();
        same = now === before ? same + 1 : 0;
        before = now;
      }
    });
  const show = async (id, question, paragraphs, done = false) => {
    await page.evaluate(
      ([id, question, paragraphs, done]) => {
        const { client } = globalThis;
        const before = (globalThis.before ??= {});
        before[id] ??= client.getSnapshot().messages;
        const answer = Array.from({ length: paragraphs }, (_, index) => `Paragraph ${index} of the answer.`).join(
          "\n\n",
        );
        client.show({
          messages: [
            ...before[id],
            { id: `u-${id}`, role: "user", content: question },
            ...(answer ? [{ id: `a-${id}`, role: "assistant", content: answer }] : []),
          ],
          status: done ? "idle" : "streaming",
          streamingMessageId: done ? undefined : `a-${id}`,
        });
      },
      [id, question, paragraphs, done],
    );
    await frames();
    return at();
  };

  await frames();
  let now = await at();
  check("a thread is opened at its end", now.toEnd <= 8 && now.scrollTop > 500);

  now = await show("one", "What next?", 0);
  check(`a new question is at the top (${now.top})`, Math.abs(now.top - 12) <= 6);
  const { scrollTop } = now;
  now = await show("one", "What next?", 5);
  check("its answer is written without moving it", now.scrollTop === scrollTop && !now.pill);
  now = await show("one", "What next?", 60);
  check("also where it is longer than the view", now.scrollTop === scrollTop);
  check("which then says so", now.pill === "New reply");

  await page.click(".ps-to-end");
  await frames();
  now = await at();
  check("the pill goes to the end", now.toEnd <= 8 && now.pill === undefined);
  now = await show("one", "What next?", 70);
  check("which is then followed", now.toEnd <= 8);
  await page.mouse.move(700, 300);
  await page.mouse.wheel(0, -120);
  await frames();
  const up = (await at()).scrollTop;
  now = await show("one", "What next?", 80);
  check("until the reader scrolls up", now.scrollTop === up && now.pill === "New reply");
  now = await show("one", "What next?", 80, true);
  check("and nothing moves at the end", now.scrollTop === up);

  now = await show("tall", "A long question. ".repeat(120), 2);
  check(`of a tall question only the end is in view (${now.bottom})`, now.bottom > 60 && now.bottom <= 130);
  await show("tall", "A long question. ".repeat(120), 2, true);

  await checkEnds(page, { show, at, frames }, check);
  await checkLooks(page, check);

  await page.goto(urlOf({ entry: "answer", theme: "light" }));
  await page.waitForSelector(".ps-tool-row");
  await settled(page);
  await frames();
  const place = () =>
    page.evaluate(() => Math.round([...document.querySelectorAll(".ps-tool-row")].at(-1).getBoundingClientRect().top));
  await page.evaluate(() => [...document.querySelectorAll(".ps-tool-row")].at(-1).scrollIntoView());
  await frames();
  const before = await place();
  for (const what of ["opened", "closed"]) {
    await page.evaluate(() => [...document.querySelectorAll(".ps-tool-row")].at(-1).click());
    await frames();
    check(
      `a row stays where it is when it is ${what} (${before} → ${await place()})`,
      Math.abs((await place()) - before) <= 1,
    );
  }
  await checkPress(browser, urlOf({ entry: "long", theme: "light" }), check);
  await checkLongThread(browser, pageOf("open.html"), check);
  await checkStreaming(browser, urlOf({ entry: "long" }), pageOf("open.html"), check);
  await checkOlder(browser, pageOf("open.html?messages=2000&history=100"), check);
  await checkFind(browser, pageOf("open.html?messages=2000&history=100"), check);
}, "production");
console.warn(`scroll: ${findings} findings`);
process.exitCode = findings > 0 ? 1 : 0;
