// A user without a mouse, in Chromium, against a real client and a scripted agent: node
// dev/journey.mjs [out folder] Opens the tray, asks, finds, renames and deletes conversations,
// switches context off, goes on with a cut answer, changes the layout, and leaves.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, eventually, guard, PATIENCE } from "../../../scripts/browser.mjs";
import { withHarness } from "./browser.mjs";

guard("the journey", 1200);

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const [out] = process.argv.slice(2);
if (out) mkdirSync(out, { recursive: true });

await withHarness(async (browser, _, pageOf) => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(PATIENCE);
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  // What the page itself does not name was loaded by the tray.
  const loaded = [];
  const address = pageOf("journey.html");
  const html = await (await page.request.get(address)).text();
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.resourceType() === "script" && !html.includes(pathname)) loaded.push(pathname);
  });
  await page.goto(address);

  const press = (...keys) => keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve());
  const type = (text) => page.keyboard.type(text);
  const focused = () =>
    page.evaluate(() => {
      const { activeElement: at } = document;
      return at?.getAttribute("aria-label") ?? at?.textContent?.trim() ?? "";
    });
  const expectFocus = (name) =>
    page.waitForFunction((wanted) => {
      const at = document.activeElement;
      return `${at?.getAttribute("aria-label") ?? ""} ${at?.textContent ?? ""}`.includes(wanted);
    }, name);
  const sees = (text) => page.getByText(text, { exact: false }).first().waitFor();
  const gone = (selector) => page.waitForSelector(selector, { state: "detached" });
  const lastContext = () => page.evaluate(() => globalThis.agent.inputs.at(-1).context.map((item) => item.description));
  const titles = () => page.$$eval("[data-thread]", (rows) => rows.map((row) => row.textContent));
  const shot = (name) => out && page.screenshot({ path: `${out}/${name}.png` });
  /** Waits for the end of what moves. */
  const still = () =>
    page.evaluate(async () => {
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const ending = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity);
      await Promise.allSettled(ending.map(({ finished }) => finished));
    });
  /** With Tab, as far as it takes. */
  const tabTo = async (name, key = "Tab") => {
    for (let presses = 0; presses < 40; presses++) {
      if ((await focused()).includes(name)) return;
      await press(key);
    }
    throw new Error(`Tab does not come to ${name}, but to ${await focused()}`);
  };

  try {
    // Nobody has touched the tray: nothing more is loaded, also when the browser has time.
    await page.evaluate(() => new Promise((done) => requestIdleCallback(() => requestIdleCallback(done))));
    assert.deepEqual(loaded, []);
    await page.hover(".ps-launcher");
    await eventually(() => assert.notDeepEqual(loaded, []));
    await page.mouse.move(0, 0);

    // Open and ask.
    await tabTo("Open Assistant");
    await press("Enter");
    await expectFocus("Message");
    await type("Which orders are late?");
    await press("Enter");
    await sees("late orders.");
    await eventually(async () => assert.deepEqual(await lastContext(), ["The rows on screen", "The filter"]));

    // A line of code that is too long scrolls, or wraps.
    const scrolls = () => page.$eval(".ps-code pre", ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
    await page.waitForSelector(".ps-wrap");
    assert.ok(await scrolls());
    await tabTo("Wrap long lines", "Shift+Tab");
    await press("Enter");
    await eventually(async () => assert.ok(!(await scrolls())));

    // Find an old conversation, name it, delete it, bring it back.
    await tabTo("History", "Shift+Tab");
    await press("Enter");
    await expectFocus("Search conversations");
    await page.waitForSelector("[data-thread]");
    await eventually(async () => assert.equal((await titles()).length, 3));
    await type("refunds");
    await page.waitForFunction(() => document.querySelectorAll("[data-thread]").length === 1);
    await shot("search");
    await press("ArrowDown", "F2");
    await expectFocus("Name of the conversation");
    await type("Money back in May");
    await press("Enter");
    await expectFocus("Money back in May");
    await press("Delete");
    await sees("“Money back in May” deleted");
    await expectFocus("Search conversations");
    await shot("deleted");
    await tabTo("Undo");
    await press("Enter");
    await page.waitForFunction(() => document.querySelectorAll("[data-thread]").length === 1);
    await eventually(async () => assert.deepEqual(await titles(), ["Money back in May"]));
    await press("Escape");
    await gone(".ps-drawer");
    await expectFocus("History");

    // Keep the filter from the assistant.
    await press("Control+.");
    await page.waitForSelector(".ps-seen");
    await tabTo("Send: The filter");
    await press("Space");
    await page.waitForSelector(".ps-seen[data-off]");
    await shot("sees");
    await press("Escape");
    await gone(".ps-drawer");
    await press("Control+/");
    await gone(".ps-root[data-open]"); // the focus was inside: that closes it
    await press("Control+/");
    await expectFocus("Message");
    await type("And now?");
    await press("Enter");
    await page.waitForFunction(() => globalThis.agent.inputs.length === 2);
    await eventually(async () => assert.deepEqual(await lastContext(), ["The rows on screen"]));
    await page.waitForFunction(() => document.querySelectorAll(".ps-answer").length === 2);

    // Go on with an answer that was cut off.
    await type("The report, please");
    await press("Enter");
    await sees("it reached the model's length limit.");
    await page.evaluate(axe);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await still();
      await shot(`cut-${colorScheme}`);
      const { violations } = await page.evaluate(() => globalThis.axe.run(".ps-root"));
      assert.deepEqual(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`),
        [],
      );
    }
    await tabTo("Continue", "Shift+Tab");
    await press("Enter");
    await expectFocus("Message");
    await sees("it ends in the middle of a word.");
    await gone(".ps-continue");
    assert.equal(await page.locator(".ps-answer").count(), 3);
    await shot("continued");
    await page.emulateMedia({ colorScheme: null });

    // Another layout, and the list of keys.
    await tabTo("More", "Shift+Tab");
    await press("Enter");
    await expectFocus("New conversation");
    await type("w"); // What the assistant sees
    await type("w"); // Whole window
    await expectFocus("Whole window");
    await press("Enter");
    await page.waitForSelector('.ps-root[data-layout="full"]', { state: "attached" });
    await expectFocus("More");
    await still();
    await shot("full");
    await press("F6", "?");
    await sees("Keyboard shortcuts");
    await press("Escape");
    await gone(".ps-drawer");

    // A small window leaves the page its room; its edge is what the viewport allows.
    const inset = () => page.evaluate(() => document.documentElement.style.getPropertyValue("--ps-tray-inset"));
    const choose = async (letter, times, name) => {
      await tabTo("More", "Shift+Tab");
      await press("Enter");
      await expectFocus("New conversation");
      for (let presses = 0; presses < times; presses++) await type(letter);
      await expectFocus(name);
      await press("Enter");
    };
    await choose("s", 2, "Small window");
    await page.waitForSelector('.ps-root[data-layout="popup"]', { state: "attached" });
    await still();
    await eventually(async () =>
      assert.deepEqual(await page.locator(".ps-tray").boundingBox(), { x: 856, y: 76, width: 400, height: 640 }),
    );
    await eventually(async () => assert.equal(await inset(), "0px"));
    await page.setViewportSize({ width: 1280, height: 500 });
    await eventually(async () => assert.equal((await page.locator(".ps-tray").boundingBox()).height, 404));
    await page.setViewportSize({ width: 1280, height: 800 });

    // Docked again, wider by keys, remembered over a reload.
    await choose("b", 1, "Beside the page");
    await page.waitForFunction(() => document.documentElement.style.getPropertyValue("--ps-tray-inset") === "420px");
    await tabTo("Resize the assistant", "Shift+Tab");
    await press("ArrowLeft", "ArrowLeft");
    await eventually(async () => assert.equal(await inset(), "452px"));
    await page.reload();
    await page.waitForSelector(".ps-root[data-open]", { state: "attached" });
    await eventually(async () => assert.equal(await inset(), "452px"));
    await press("Control+/");
    await expectFocus("Message");

    // And away, back to the page.
    await press("Escape");
    await gone(".ps-root[data-open]");
    await expectFocus("Open Assistant");
  } catch (error) {
    throw new Error(`${error.message}\nthe console said: ${errors.join("\n") || "nothing"}\n${await describe(page)}`, {
      cause: error,
    });
  }
  assert.deepEqual(errors, []);
});
console.warn("The journey by keyboard: done.");
