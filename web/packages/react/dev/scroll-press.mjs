// A press while the transcript glides. Part of scroll.mjs.
import { PATIENCE, settled, watch } from "../../../scripts/browser.mjs";

/** What is pressed stays under the pointer, so that the click reaches it. */
export async function checkPress(browser, url, check) {
  const page = watch(await browser.newPage({ viewport: { width: 900, height: 800 } }));
  page.setDefaultTimeout(PATIENCE);
  await page.goto(url);
  await page.waitForSelector(".ps-turn");
  await settled(page);
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
  const held = await frames(20);
  await page.mouse.up();
  check(`a press ends what glides (${pressed}, ${held})`, held === pressed && pressed > 0);
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
    const got = await page.evaluate(() => window.clicks);
    check(`${what} (${got})`, got === clicks);
  }
  await page.close();
}
