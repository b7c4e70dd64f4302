// A user without a mouse, and what the layouts of the tray take of a window. What each part does
// with keys is tested beside its source.
import { expect } from "vitest";
import { inBrowser, still, visit } from "../../../../scripts/stage.ts";
import { builtPages } from "./pages.mjs";

const { pageOf } = builtPages();

async function open() {
  const { page, complaints } = await visit(pageOf("page.html"), { viewport: { width: 1280, height: 800 } });
  await page.getByRole("button", { name: "Open Assistant" }).waitFor();
  const focused = () =>
    page.evaluate(() => {
      const { activeElement: at } = document;
      return at?.getAttribute("aria-label") ?? at?.textContent?.trim() ?? "";
    });
  return {
    page,
    complaints,
    press: async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
    },
    type: (text) => page.keyboard.type(text),
    isOn: (name) => expect.poll(focused).toContain(name),
    /** With Tab, as far as it takes. */
    tabTo: async (name, key = "Tab") => {
      for (let presses = 0; presses < 40; presses++) {
        if ((await focused()).includes(name)) return;
        await page.keyboard.press(key);
      }
      throw new Error(`${key} does not come to ${name}, but to ${await focused()}`);
    },
    inset: () => page.evaluate(() => document.documentElement.style.getPropertyValue("--ps-tray-inset")),
  };
}

inBrowser("opens, asks, wraps a line, finds and renames a conversation, and leaves, by keys alone", async () => {
  const { page, complaints, press, type, isOn, tabTo } = await open();
  await tabTo("Open Assistant");
  await press("Enter");
  await isOn("Message");
  await type("Show me the code");
  await press("Enter");
  const scrolls = () =>
    page.locator(".ps-code pre").evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
  await page.locator(".ps-wrap").waitFor();
  expect(await scrolls()).toBe(true);
  await tabTo("Wrap long lines", "Shift+Tab");
  await press("Enter");
  await expect.poll(scrolls).toBe(false);

  await tabTo("History", "Shift+Tab");
  await press("Enter");
  await isOn("Search conversations");
  const rows = page.locator("[data-thread]");
  await expect.poll(() => rows.count()).toBe(3);
  await type("refunds");
  await expect.poll(() => rows.allTextContents()).toEqual([expect.stringContaining("Refunds in May")]);
  await press("ArrowDown", "F2");
  await isOn("Name of the conversation");
  await type("Money back in May");
  await press("Enter");
  await isOn("Money back in May");
  await press("Delete");
  await isOn("Search conversations");
  await tabTo("Undo");
  await press("Enter");
  await expect.poll(() => rows.allTextContents()).toEqual(["Money back in May"]);
  await press("Escape");
  await isOn("History");
  await press("Escape");
  await page.locator(".ps-root[data-open]").waitFor({ state: "detached" });
  await isOn("Open Assistant");
  expect(complaints).toEqual([]);
});

inBrowser("a small window leaves the page its room, and is as high as the viewport allows", async () => {
  const { page, press, type, isOn, tabTo, inset } = await open();
  const choose = async (letter, name) => {
    await tabTo("More", "Shift+Tab");
    await press("Enter");
    await isOn("New conversation");
    await type(letter);
    await isOn(name);
    await press("Enter");
  };
  await tabTo("Open Assistant");
  await press("Enter");
  await isOn("Message");
  await choose("ss", "Small window");
  await page.locator('.ps-root[data-layout="popup"]').waitFor({ state: "attached" });
  await still(page);
  const box = () => page.locator(".ps-tray").boundingBox();
  await expect.poll(box).toEqual({ x: 856, y: 76, width: 400, height: 640 });
  await expect.poll(inset).toBe("0px");
  await page.setViewportSize({ width: 1280, height: 500 });
  await expect.poll(async () => (await box()).height).toBe(404);
  await page.setViewportSize({ width: 1280, height: 800 });

  await choose("b", "Beside the page");
  await expect.poll(inset).toBe("420px");
  await tabTo("Resize the assistant", "Shift+Tab");
  await press("ArrowLeft", "ArrowLeft");
  await expect.poll(inset).toBe("452px");
  await page.reload();
  await expect.poll(inset).toBe("452px");
});
