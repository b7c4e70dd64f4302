// The message box where it takes a browser: its layout, files, the clipboard, an input method. What
// its keys do is tested in ../../src/tray/composer, its accessibility in the gallery.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { inBrowser, visit } from "../../../../scripts/stage.ts";
import { builtPages } from "./pages.mjs";

const { pageOf } = builtPages();

/** The box of a tray that was just opened, and what was sent from it. */
async function open() {
  const { page, complaints } = await visit(pageOf("page.html"), {
    viewport: { width: 900, height: 860 },
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
    // As docs/sdk/csp.md has it. What the policy blocks is an error in the console.
    prepare: (page) =>
      page.route("**/page.html*", async (route) => {
        const response = await route.fetch();
        const headers = { ...response.headers(), "content-security-policy": "img-src data:" };
        await route.fulfill({ response, headers });
      }),
  });
  await page.getByRole("button", { name: "Open Assistant" }).click();
  await page.getByRole("button", { name: "Commands (/)" }).waitFor();
  const box = page.locator(".ps-input");
  await expect.poll(() => isFocused(box)).toBe(true);
  const sent = () =>
    page.evaluate(() => {
      const { messages } = globalThis.client.getSnapshot();
      return messages.filter(({ role }) => role === "user").map(({ content }) => content);
    });
  const has = (text) => expect.poll(() => box.inputValue()).toBe(text);
  return { page, complaints, keyboard: page.keyboard, box, has, sent };
}

const isFocused = (locator) => locator.evaluate((element) => element === document.activeElement);

/** Makes an image in the page, and returns its bytes. */
const imageOf = (page, width, height) =>
  page.evaluate(
    async ([width, height]) => {
      const canvas = Object.assign(document.createElement("canvas"), { width, height });
      canvas.getContext("2d").fillRect(0, 0, width, height);
      const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
      return [...new Uint8Array(await blob.arrayBuffer())];
    },
    [width, height],
  );

inBrowser("the hint at an argument stands where the text ends", async () => {
  const { page, keyboard, has } = await open();
  await keyboard.type("/expl");
  await keyboard.press("Tab");
  await has("/explain ");
  await page.locator(".ps-ghost-text", { hasText: "<field>" }).waitFor();
  const corner = (selector) =>
    page.locator(selector).evaluate((element) => {
      const { top, left } = element.getBoundingClientRect();
      return { top, left };
    });
  await expect.poll(() => corner(".ps-ghost-text")).toEqual(await corner(".ps-input"));
});

inBrowser("a mention is a pill, reached by Tab, whose value can be seen", async () => {
  const { page, keyboard, box, has } = await open();
  await keyboard.type("Compare @sel");
  await keyboard.press("Enter");
  await has("Compare @selected-rows ");
  await keyboard.press("Shift+Tab"); // its remove button
  await keyboard.press("Shift+Tab"); // its name
  await keyboard.press("Enter");
  await page.locator(".ps-preview pre", { hasText: "wp-login" }).waitFor();
  await keyboard.press("Escape");
  await expect.poll(() => isFocused(box)).toBe(true);
});

inBrowser("files are chosen by keyboard, and a large image is made smaller", async () => {
  const { page, keyboard, box, sent } = await open();
  const chooser = page.waitForEvent("filechooser");
  await page.title(); // by its answer the browser hands over what it would ask the user for
  await keyboard.press("Tab"); // the first button below the text
  await keyboard.press("Enter");
  const large = Buffer.from(await imageOf(page, 3000, 1500));
  await (
    await chooser
  ).setFiles([
    { name: "large.png", mimeType: "image/png", buffer: large },
    { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("notes") },
  ]);
  await expect.poll(() => page.locator(".ps-file:not(:has([role=progressbar]))").count()).toBe(2);
  await expect.poll(() => isFocused(box)).toBe(true);
  await keyboard.type("what is in there?");
  await keyboard.press("Enter");
  await expect.poll(sent).toHaveLength(1);
  const [[text, image, notes]] = await sent();
  expect(text).toEqual({ type: "text", text: "what is in there?" });
  expect(atob(notes.source.value)).toBe("notes");
  const size = await page.evaluate(async (data) => {
    const blob = await (await fetch(`data:image/png;base64,${data}`)).blob();
    const { width, height } = await createImageBitmap(blob);
    return [width, height];
  }, image.source.value);
  expect(size).toEqual([2048, 1024]);
});

inBrowser("files are dropped on a tray that says what it takes; others are refused in words", async () => {
  const { page, box } = await open();
  const folder = mkdtempSync(join(tmpdir(), "pageside-files-"));
  const files = ["log.txt", "setup.exe"].map((name) => join(folder, name));
  for (const file of files) writeFileSync(file, "line\n".repeat(1000));
  const session = await page.context().newCDPSession(page);
  const drag = async (type) => {
    const { x, y, width, height } = await page.locator(".ps-tray").boundingBox();
    const data = { items: [], files, dragOperationsMask: 1 };
    await session.send("Input.dispatchDragEvent", { type, x: x + width / 2, y: y + height / 2, data });
  };
  try {
    await drag("dragEnter");
    await drag("dragOver");
    expect(await page.locator(".ps-drop").innerText()).toMatch(
      /Drop files to add them\s+PNG, JPEG, GIF, WEBP, PDF, text, JSON\s+At most 8 files, 2.5 MB/,
    );
    await drag("drop");
    await page.locator(".ps-drop").waitFor({ state: "detached" });
    await page.locator(".ps-composer [role=status]", { hasText: /^1 file attached$/ }).waitFor();
  } finally {
    rmSync(folder, { recursive: true });
  }
  expect(await page.locator(".ps-composer .ps-file").innerText()).toMatch(/log.txt\s+5 kB/);
  expect(await page.locator(".ps-composer .ps-notice").innerText()).toMatch(
    /“setup.exe” is of a kind .* Accepted: PNG, /,
  );
  await expect.poll(() => isFocused(box)).toBe(true);
});

inBrowser("an image is pasted, seen under a policy without blob:, and removed by keyboard", async () => {
  const { page, complaints, keyboard, box } = await open();
  const bytes = await imageOf(page, 300, 150);
  await page.evaluate(async (bytes) => {
    const blob = new Blob([new Uint8Array(bytes)], { type: "image/png" });
    await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
  }, bytes);
  await keyboard.press("Control+v");
  const image = page.locator(".ps-composer .ps-file-image > img");
  await expect.poll(() => image.evaluate((img) => img.naturalWidth)).toBe(300);
  expect(complaints).toEqual([]);
  await keyboard.press("Shift+Tab"); // the button that removes the file
  await keyboard.press("Delete");
  await page.locator(".ps-composer .ps-file").waitFor({ state: "detached" });
  await expect.poll(() => isFocused(box)).toBe(true);
});

inBrowser("the arrow goes through the lines of an earlier message before it goes to the one before", async () => {
  const { keyboard, has, sent } = await open();
  await keyboard.type("first");
  await keyboard.press("Enter");
  await keyboard.type("one");
  await keyboard.press("Shift+Enter");
  await keyboard.type("two");
  await keyboard.press("Enter");
  await expect.poll(sent).toEqual(["first", "one\ntwo"]);
  await keyboard.press("ArrowUp");
  await has("one\ntwo");
  await keyboard.press("ArrowUp"); // from the second line to the first
  await has("one\ntwo");
  await keyboard.press("ArrowUp");
  await has("first");
});

inBrowser("an input method composes, and its Enter sends nothing", async () => {
  const { page, keyboard, has, sent } = await open();
  const session = await page.context().newCDPSession(page);
  await session.send("Input.imeSetComposition", { text: "にほn", selectionStart: 3, selectionEnd: 3 });
  const key = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 229 };
  await session.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key });
  await session.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
  expect(await sent()).toEqual([]);
  await session.send("Input.insertText", { text: "にほん" });
  await has("にほん");
  await keyboard.press("Enter");
  await expect.poll(sent).toEqual(["にほん"]);
});

inBrowser("it grows to eight rows, and becomes small again", async () => {
  const { keyboard, box } = await open();
  const height = () => box.evaluate(({ offsetHeight }) => offsetHeight);
  const one = await height();
  for (let line = 0; line < 3; line++) await keyboard.press("Shift+Enter");
  await expect.poll(height).toBe(one + 60);
  for (let line = 0; line < 9; line++) await keyboard.press("Shift+Enter");
  await expect.poll(height).toBe(180);
  await keyboard.press("Control+a");
  await keyboard.press("Backspace");
  await expect.poll(height).toBe(one);
});

inBrowser("a draft outlives a reload", async () => {
  const { page, keyboard, has } = await open();
  await keyboard.type("half a thought");
  await page.waitForFunction(() => JSON.stringify(sessionStorage).includes("half a thought"));
  await page.reload();
  await has("half a thought");
});
