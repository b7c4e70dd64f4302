// Long threads, of which only what is near the view is drawn, or even loaded.
import { expect } from "vitest";
import { inBrowser } from "../../../../scripts/stage.ts";
import { builtPages } from "./pages.mjs";
import { MOST_TURNS, read } from "./reader.mjs";

const { pageOf } = builtPages("production");
const open = (query = "") => read(pageOf(`open.html${query}`), { thread: "long" });
/** The newest of 2,000 messages. */
const WINDOW = "?messages=2000&history=100";

/** At most so many elements are on the page. */
const MOST_NODES = 4000;

inBrowser("of 1,000 messages few are drawn, and the reader sees neither gaps nor jumps", async () => {
  const reader = await open();
  const { page } = reader;
  const turns = await page.evaluate(() => globalThis.messages.filter(({ role }) => role === "user").length);
  expect(turns).toBeGreaterThanOrEqual(400);

  const opened = await reader.look();
  expect(opened.toEnd).toBeLessThanOrEqual(8);
  expect(opened.answer).toContain(`Answer ${turns}.`);
  expect(opened.pill, "nothing is new").toBeUndefined();
  const worst = await page.evaluate(() => globalThis.climb(400, 60));
  for (const { drawn, nodes } of [opened, worst]) {
    expect(drawn).toBeLessThanOrEqual(MOST_TURNS);
    expect(nodes).toBeLessThanOrEqual(MOST_NODES);
  }
  expect(worst.moved, "the reader stays where they are").toBeLessThanOrEqual(1);
  expect(worst.empty, "and sees no empty room").toBe(0);
  expect((await reader.look()).pill, "nothing new is announced").toBe("");

  await page.locator(".ps-scroller").focus();
  const isAtEnd = ({ toEnd }) => toEnd <= 8;
  for (const [key, isThere] of [
    ["End", isAtEnd],
    ["Home", ({ scrollTop, firstTurn }) => scrollTop === 0 && firstTurn === "q1"],
    ["End", isAtEnd],
  ]) {
    await reader.reach(key, isThere);
    expect((await reader.look()).drawn, key).toBeLessThanOrEqual(MOST_TURNS);
  }
});

inBrowser(
  "what would lose something stays drawn, however far the reader goes; all that is selected is there",
  async () => {
    const reader = await open();
    const { page } = reader;
    await reader.scrollBy(-8000);
    const away = () => reader.scrollBy(-8000);
    /** Marks the first turn in view that has such an element, and returns the element. */
    const mark = async (selector) => {
      const turn = await page.evaluate((selector) => {
        const turns = [
          ...document.querySelectorAll(".ps-turns > [data-turn]:not([data-gap], [data-last], [data-near])"),
        ];
        const turn = turns.find((turn) => turn.querySelector(selector));
        turn?.scrollIntoView();
        return turn?.dataset.turn;
      }, selector);
      await reader.rest();
      return { turn, element: page.locator(`[data-turn="${turn}"] ${selector}`).first() };
    };
    const isThere = async ({ turn }) => (await page.locator(`[data-turn="${turn}"]:not([data-gap])`).count()) === 1;

    const plain = await mark(".ps-bubble");
    await away();
    expect(await isThere(plain), "a turn far from the view is not drawn").toBe(false);

    const focused = await mark(".ps-answer button");
    await focused.element.focus();
    await away();
    expect(await isThere(focused), "a turn with the focus stays").toBe(true);
    await page.locator(".ps-scroller").focus();

    await page.keyboard.press("Control+a");
    const questions = await page.evaluate(() =>
      globalThis.messages.filter(({ role }) => role === "user").map(({ content }) => content),
    );
    await page.waitForFunction((first) => document.querySelector(".ps-bubble")?.textContent === first, questions[0]);
    const text = await page.evaluate(() => String(getSelection()));
    expect(
      questions.filter((question) => !text.includes(question)),
      "what is selected is all there",
    ).toEqual([]);
    await page.evaluate(() => getSelection().removeAllRanges());
    await away();
    expect((await reader.look()).drawn, "and goes with the selection").toBeLessThanOrEqual(MOST_TURNS);

    const edited = await mark(".ps-question > button");
    await edited.element.click();
    const form = page.locator(`[data-turn="${edited.turn}"] textarea`);
    await form.fill("Half a question");
    await page.locator(".ps-scroller").focus();
    await away();
    expect(await form.inputValue(), "a form stays, with what was written").toBe("Half a question");
  },
);

inBrowser("older turns come, leave what is read in place, and the keyboard reaches the beginning", async () => {
  const reader = await open(WINDOW);
  const { page } = reader;
  const look = async () => {
    await reader.rest(20);
    return reader.look();
  };
  const opened = await reader.count();
  expect(opened).toBeGreaterThanOrEqual(100);
  expect(opened).toBeLessThan(250);

  // to the very top, where browsers do not keep what is in view in place by themselves
  await page.evaluate(() => {
    globalThis.load = globalThis.client.loadOlder;
    globalThis.client.loadOlder = async () => {};
    document.querySelector(".ps-scroller").scrollTop = 0;
  });
  const before = await look();
  await page.evaluate(() => globalThis.load());
  const after = await look();
  expect(await reader.count()).toBeGreaterThanOrEqual(opened + 100);
  expect(after.first).toBe(before.first);
  expect(Math.abs(after.firstAt - before.firstAt)).toBeLessThanOrEqual(1);

  await page.evaluate(() => (globalThis.client.loadOlder = globalThis.load));
  await page.locator(".ps-scroller").focus();
  const first = () => page.evaluate(() => globalThis.client.getSnapshot().messages[0].content);
  await expect
    .poll(async () => {
      await page.keyboard.press("Home");
      const { first: seen } = await look();
      return (await reader.count()) === 2000 && seen === (await first());
    })
    .toBe(true);
  expect(await page.locator(".ps-older button").count()).toBe(0);
});

inBrowser("the tray's own find goes through messages that were neither drawn nor loaded", async () => {
  const reader = await open(WINDOW);
  const { page } = reader;
  await page.locator(".ps-scroller").focus();
  await page.keyboard.press("Control+f");
  await page.locator(".ps-find input:focus").waitFor();
  /** What is marked, and whether it is in view; once nothing moves. */
  const found = async (count) => {
    await page.locator(".ps-find [role=status]", { hasText: new RegExp(`^${count}$`) }).waitFor({ state: "attached" });
    return expect.poll(async () => {
      const { drawn } = await reader.look();
      const marked = await page.evaluate(() => {
        const [range] = CSS.highlights.get("ps-found") ?? [];
        const at = range?.getBoundingClientRect();
        const view = document.querySelector(".ps-scroller").getBoundingClientRect();
        return {
          text: range?.toString(),
          turn: range?.startContainer.parentElement.closest(".ps-turn")?.dataset.turn,
          seen: at !== undefined && at.height > 0 && at.top >= view.top && at.bottom <= view.bottom,
        };
      });
      return { ...marked, few: drawn <= MOST_TURNS };
    });
  };

  // of no message that was loaded when the thread opened
  await page.keyboard.type("question 12: ");
  await (await found("1 of 1")).toEqual({ text: "Question 12:", turn: "q12", seen: true, few: true });
  await page.locator(".ps-find input").fill("answer 30");
  await (await found("11 of 11")).toMatchObject({ turn: "q309" }); // the newest first
  await page.keyboard.press("Enter");
  await (await found("1 of 11")).toEqual({ text: "Answer 30", turn: "q30", seen: true, few: true });
  await page.keyboard.press("Shift+Enter");
  await (await found("11 of 11")).toEqual({ text: "Answer 30", turn: "q309", seen: true, few: true });
  const { scrollTop } = await reader.look();
  await page.keyboard.press("Escape");
  await page.locator(".ps-find").waitFor({ state: "detached" });
  expect(Math.abs((await reader.look()).scrollTop - scrollTop), "the reader stays there").toBeLessThanOrEqual(1);
  const left = () => [CSS.highlights.has("ps-found"), document.activeElement.className];
  expect(await page.evaluate(left)).toEqual([false, "ps-scroller"]);
});
