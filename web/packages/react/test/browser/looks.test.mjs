// What overlaps or is cut only where a browser lays it out.
import { expect } from "vitest";
import { settled, watch } from "../../../../scripts/browser.mjs";
import { inBrowser, visit } from "../../../../scripts/stage.ts";
import { builtPages } from "./pages.mjs";

const { urlOf } = builtPages();

async function open(entry) {
  const { page } = await visit(urlOf({ entry, theme: "light" }), {
    viewport: { width: 1100, height: 860 },
    prepare: async (page) => watch(page, "script"),
  });
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  await settled(page);
  return page;
}

inBrowser("a question above the message box keeps its heading apart from the arguments", async () => {
  const page = await open("box-action-asks");
  const heading = await page.locator(".ps-interrupt .ps-card-title").boundingBox();
  const { y } = await page.locator(".ps-interrupt .ps-args").boundingBox();
  expect(y - heading.y - heading.height).toBeGreaterThanOrEqual(8);
});

inBrowser("the panel of what the assistant sees says of each item how large it is", async () => {
  const page = await open("panel-sees");
  const cut = await page
    .locator(".ps-seen-facts:not([dir])")
    .evaluateAll((facts) => facts.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.innerText));
  expect(cut).toEqual([]);
});
