// Makes the pictures of the README and the guide: the demo on its generated sample, in both themes.
// Needs `make build` and Chromium (CHROMIUM_PATH, or where it usually is).
import { answered, ask, images, messageBox, onStage, settled, weigh } from "./stage.mjs";

const largest = 250_000; // bytes of a picture

await onStage(180, async (url, browser) => {
  for (const colorScheme of ["light", "dark"]) {
    for (const [name, play] of Object.entries({ discover, research, approval, inspector })) {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        colorScheme,
        reducedMotion: "reduce",
      });
      context.setDefaultTimeout(15_000);
      const page = await context.newPage();
      await play(page, url);
      await page.mouse.move(720, 899);
      await page.evaluate(() => document.activeElement?.blur());
      await page.waitForTimeout(3000); // the mark on what changed fades
      const path = `${images}${name}-${colorScheme}.png`;
      await page.screenshot({ path });
      weigh(path, largest);
      await context.close();
    }
  }
});

/** A question that sets the query, and a chart of the answer. */
async function discover(page, url) {
  await page.goto(url);
  await settled(page);
  await ask(page, "Which pages give the most 404s?");
  await ask(page, "Draw a chart of the requests by status");
}

/** One thing to try at a click: a card with a query, not accepted yet. */
async function research(page, url) {
  await page.goto(url);
  await settled(page);
  await page.getByRole("button", { name: "Try this" }).click();
  const item = page.getByRole("dialog", { name: "Try this" }).getByRole("button", { name: "What am I missing?" });
  const said = await item.locator(".scenario-text").innerText();
  await item.click();
  await answered(page, said.slice(1, -1));
}

/** What changes something asks first. */
async function approval(page, url) {
  await page.goto(url);
  await settled(page);
  await ask(page, "Alert me when there are more than 4 404s in an hour");
  await messageBox(page).fill("Delete the alert");
  await page.getByRole("button", { name: "Send message" }).click();
  await page.getByRole("button", { name: "Approve" }).waitFor();
  await settled(page);
}

/** What the runs of the other pictures did. */
async function inspector(page, url) {
  await page.goto(`${url}/inspector`);
  await page
    .getByRole("navigation", { name: "Runs" })
    .getByRole("button", { name: "more than 4 404s" })
    .first()
    .click();
  await page.getByRole("tab", { name: "Timeline" }).waitFor();
}
