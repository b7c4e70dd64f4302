// How the transcript scrolls.
import { expect } from "vitest";
import { settled } from "../../../../scripts/browser.mjs";
import { inBrowser } from "../../../../scripts/stage.ts";
import { builtPages } from "./pages.mjs";
import { read } from "./reader.mjs";

const { urlOf } = builtPages("production");
const open = (entry = "long", options) => read(urlOf({ entry, theme: "light" }), options);

/** Asks below what the thread has, and has an answer of so many paragraphs written so far. */
async function write(reader, question, paragraphs, isOver = false) {
  await reader.page.evaluate(
    ([question, paragraphs, isOver]) => {
      const { client } = globalThis;
      const before = (globalThis.before ??= client.getSnapshot().messages);
      const content = Array.from({ length: paragraphs }, (_, n) => `Paragraph ${n} of the answer.`).join("\n\n");
      const answer = content ? [{ id: "a-new", role: "assistant", content }] : [];
      client.show({
        messages: [...before, { id: "u-new", role: "user", content: question }, ...answer],
        status: isOver ? "idle" : "streaming",
        streamingMessageId: isOver ? undefined : "a-new",
      });
    },
    [question, paragraphs, isOver],
  );
  return reader.look();
}

inBrowser(
  "an answer is written below its question, which stays at the top until the reader wants the end",
  async () => {
    const reader = await open();
    const { page } = reader;
    const opened = await reader.look();
    expect(opened.toEnd, "a thread is opened at its end").toBeLessThanOrEqual(8);
    expect(opened.scrollTop).toBeGreaterThan(500);

    const { lastTop, scrollTop } = await write(reader, "What next?", 0);
    expect(Math.abs(lastTop - 12), "a new question is at the top").toBeLessThanOrEqual(6);
    const short = await write(reader, "What next?", 5);
    expect([short.scrollTop, short.pill || undefined]).toEqual([scrollTop, undefined]);
    const long = await write(reader, "What next?", 60);
    expect([long.scrollTop, long.pill], "longer than the view").toEqual([scrollTop, "New reply"]);

    await page.locator(".ps-to-end").click();
    const atEnd = await reader.look();
    expect(atEnd.toEnd).toBeLessThanOrEqual(8);
    expect(atEnd.pill).toBeUndefined();
    expect((await write(reader, "What next?", 70)).toEnd, "the end is followed").toBeLessThanOrEqual(8);
    await page.mouse.move(700, 300);
    await page.mouse.wheel(0, -120);
    const up = (await reader.look()).scrollTop;
    const left = await write(reader, "What next?", 80);
    expect([left.scrollTop, left.pill], "until the reader scrolls up").toEqual([up, "New reply"]);
    expect((await write(reader, "What next?", 80, true)).scrollTop, "nothing moves at the end").toBe(up);
  },
);

inBrowser("of a tall question only the end is in view", async () => {
  const { lastBottom } = await write(await open(), "A long question. ".repeat(120), 2);
  expect(lastBottom).toBeGreaterThan(60);
  expect(lastBottom).toBeLessThanOrEqual(130);
});

inBrowser("below an answer that ends in view, suggestions alone are no reason for a button to the end", async () => {
  const reader = await open();
  const { page } = reader;
  /** The room below the answer, and how much of the suggestions is out of view. */
  const room = () =>
    page.evaluate(() => {
      const end = document.querySelector(".ps-transcript").getBoundingClientRect().bottom;
      const bottom = (selector) => [...document.querySelectorAll(selector)].at(-1)?.getBoundingClientRect().bottom ?? 0;
      return { below: end - bottom(".ps-turn"), hidden: bottom(".ps-suggested") - end };
    });
  let paragraphs = 1;
  do await write(reader, "And then?", ++paragraphs);
  while (paragraphs < 60 && (await room()).below > 90);
  await page.evaluate(() => {
    const { messages } = globalThis.client.getSnapshot();
    const suggestedValues = ["one", "two", "three", "four", "five"].map((word) => {
      return { label: `What else is there to say of the page number ${word}?`, value: word };
    });
    const answer = { ...messages.at(-1), metadata: { pageside: { suggestedValues } } };
    const ended = { status: "idle", streamingMessageId: undefined };
    globalThis.client.show({ messages: [...messages.slice(0, -1), answer], ...ended });
  });
  await page.locator(".ps-suggested .ps-chip").first().waitFor();
  const { pill } = await reader.look();
  const { below, hidden } = await room();
  expect(below).toBeGreaterThanOrEqual(0);
  expect(hidden).toBeGreaterThan(0);
  expect(pill).toBeUndefined();
});

inBrowser(
  "a tool that draws nothing takes no room, and an earlier turn is cut off only without the focus",
  async () => {
    const { page } = await open();
    const { heights, before, focused } = await page.evaluate(async () => {
      const body = [...document.querySelectorAll(".ps-answer-body")].at(-1);
      const heights = [body.offsetHeight];
      const drawn = document.createElement("div");
      drawn.className = "ps-tool-custom ps-host";
      body.prepend(drawn);
      heights.push(body.offsetHeight);
      drawn.remove();
      const earlier = document.querySelectorAll(".ps-turn:not([data-last], [data-near], [data-gap])");
      const turn = [...earlier].findLast((each) => each.querySelector("button"));
      const clipped = () => getComputedStyle(turn).contentVisibility;
      const before = clipped();
      turn.scrollIntoView();
      turn.querySelector("button").focus();
      return { heights, before, focused: clipped() };
    });
    expect(heights[1]).toBe(heights[0]);
    expect([before, focused]).toEqual(["auto", "visible"]);
  },
);

inBrowser("a row stays where it is when it is opened and closed", async () => {
  const reader = await open("answer");
  const row = reader.page.locator(".ps-tool-row").last();
  await row.waitFor();
  await settled(reader.page);
  await row.evaluate((element) => element.scrollIntoView());
  const place = async () => {
    await reader.rest();
    return row.evaluate((element) => Math.round(element.getBoundingClientRect().top));
  };
  const before = await place();
  for (const what of ["opened", "closed"]) {
    await row.evaluate((element) => element.click());
    expect(Math.abs((await place()) - before), what).toBeLessThanOrEqual(1);
  }
});

inBrowser(
  "what is pressed while the transcript glides stays under the pointer, so that the click reaches it",
  async () => {
    const { page } = await open("long", { reducedMotion: "no-preference" });
    const frames = (count) =>
      page.evaluate(async (count) => {
        for (let n = 0; n < count; n++) await new Promise(requestAnimationFrame);
        return document.querySelector(".ps-scroller").scrollTop;
      }, count);
    await page.mouse.move(700, 300);
    // Many screens: it glides for a while.
    await page.evaluate(() => {
      const scroller = document.querySelector(".ps-scroller");
      scroller.scrollTop = scroller.scrollHeight;
      scroller.scrollTo({ top: 0, behavior: "smooth" });
    });
    await frames(2);
    await page.mouse.down();
    const pressed = await frames(2);
    expect(await frames(20), "a press ends what glides").toBe(pressed);
    expect(pressed).toBeGreaterThan(0);
    await page.mouse.up();
    for (const [what, away, clicks] of [
      ["a button that moves away while it is pressed has its click", 0, 1],
      ["a press that leaves its button is none", 60, 0],
    ]) {
      const at = await page.evaluate(() => {
        const scroller = document.querySelector(".ps-scroller");
        scroller.scrollTop = 600;
        const button = document.createElement("button");
        button.textContent = "Press";
        document.elementFromPoint(600, 400).closest(".ps-turn").before(button);
        window.clicks = 0;
        button.addEventListener("click", () => window.clicks++);
        button.scrollIntoView({ block: "center" });
        const { x, y, width, height } = button.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      });
      await page.mouse.move(at.x, at.y);
      await page.mouse.down();
      await page.evaluate(() => void (document.querySelector(".ps-scroller").scrollTop += 100));
      await frames(2);
      if (away) await page.mouse.move(at.x, at.y + away);
      await page.mouse.up();
      await frames(2);
      expect(await page.evaluate(() => window.clicks), what).toBe(clicks);
    }
  },
);
