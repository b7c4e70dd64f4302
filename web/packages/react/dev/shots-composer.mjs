// Pictures of the message box in its states, both themes, docked and on a phone: node
// dev/shots-composer.mjs <folder> [state…]
import { mkdirSync } from "node:fs";
import { withHarness } from "./browser.mjs";

const [out = "test-results/composer", ...wanted] = process.argv.slice(2);
mkdirSync(out, { recursive: true });

const sizes = {
  wide: { viewport: { width: 900, height: 860 } },
  narrow: { viewport: { width: 420, height: 860 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAGElEQVR4nGNk+M+AFzDhlx4pCv7//w8AWkoDA3lEGXoAAAAASUVORK5CYII=",
  "base64",
);
const files = [
  { name: "chart.png", mimeType: "image/png", buffer: png },
  {
    name: "a report with quite a long name, from yesterday.pdf",
    mimeType: "application/pdf",
    buffer: Buffer.alloc(341_000, 1),
  },
  { name: "setup.exe", mimeType: "application/x-msdownload", buffer: Buffer.from("x") },
];

/** What is done before the picture. */
const states = {
  empty: async () => {},
  commands: (page) => page.keyboard.type("/"),
  filtered: (page) => page.keyboard.type("/ex"),
  ghost: (page) => page.keyboard.type("/explain "),
  mentions: (page) => page.keyboard.type("Look at @"),
  pills: async (page) => {
    await page.keyboard.type("Compare @sel");
    await page.keyboard.press("Tab");
    await page.keyboard.type("with @ch");
    await page.keyboard.press("Tab");
  },
  preview: async (page) => {
    await page.keyboard.type("@sel");
    await page.keyboard.press("Tab");
    await page.click(".ps-pill-name");
  },
  selection: async () => {},
  question: async (page) => {
    await page.keyboard.type("/debug Debug the log using the current time range");
    await page.keyboard.press("Control+Enter");
  },
  help: async (page) => {
    await page.keyboard.type("/help");
    await page.keyboard.press("Enter");
  },
  files: async (page) => {
    await page.setInputFiles("input[type=file]", files);
    await page.waitForTimeout(200);
    await page.keyboard.type("What do these say?");
  },
  sent: async (page) => {
    await page.setInputFiles("input[type=file]", files.slice(0, 2));
    await page.waitForTimeout(200);
    await page.keyboard.type("What do these say?");
    await page.keyboard.press("Control+Enter");
  },
  tall: async (page) => {
    for (let line = 1; line <= 12; line++) {
      await page.keyboard.type(`Line ${line}`);
      await page.keyboard.press("Shift+Enter");
    }
  },
  queue: async (page) => {
    await page.keyboard.type("Answer slowly");
    await page.keyboard.press("Control+Enter");
    for (const text of ["And which clients ask for them?", "Then block the three that ask most", "Tell me how"]) {
      await page.waitForTimeout(50);
      await page.keyboard.type(text);
      await page.keyboard.press("Control+Enter");
    }
  },
  drop: (page) =>
    page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["x"], "a.png", { type: "image/png" }));
      document.querySelector(".ps-tray").dispatchEvent(new DragEvent("dragenter", { dataTransfer, bubbles: true }));
    }),
};

await withHarness(async (browser, urlOf) => {
  for (const state of wanted.length > 0 ? wanted : Object.keys(states)) {
    for (const theme of ["light", "dark"]) {
      for (const [size, options] of Object.entries(sizes)) {
        const page = await browser.newPage(options);
        page.on("pageerror", (error) => console.error(state, error.message));
        const query = new URLSearchParams({ theme, ...(state === "selection" && { selection: "1" }) });
        const base = new URL(urlOf({})).origin;
        await page.goto(`${base}/composer.html?${query}`);
        await page.waitForSelector(".ps-tools button");
        await page.focus(".ps-input");
        await states[state](page);
        await page.waitForTimeout(350);
        await page.screenshot({ path: `${out}/${state}-${theme}-${size}.png` });
        await page.close();
      }
    }
  }
});
