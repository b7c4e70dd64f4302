// The element on a page that does what it can to break it.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { startOrders } from "./servers.js";
import { answerIn, ask, inBrowser, staged } from "./stage.js";

const { openHtml } = staged(startOrders);

const TORTURE = `
  *, *::before, *::after { all: unset !important; color: hotpink !important;
    font: 40px/3 "Comic Sans MS", cursive !important;
    letter-spacing: 9px !important; text-transform: uppercase !important; background: lime !important; }
  html { font-size: 3px; line-height: 7; word-spacing: 20px; text-indent: 60px; visibility: hidden; cursor: wait; }
  body { white-space: pre; text-align: right; filter: none; }
  div, span, button, textarea, p { display: block !important; border: 9px dashed red !important; position: static !important; }
  pageside-tray { display: block !important; opacity: 0.3; transform: rotate(20deg); font-size: 60px !important; color: red !important; }
  .ps-tray, .ps-root, .ps-launcher { display: none !important; }
`;

const pageOf = (
  style: string,
  inBody = "",
) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Host</title>
  <link rel="icon" href="data:,"><style>${style}</style>
  <script type="module" src="/pageside.js" data-page-name="Orders" data-theme="light" data-open></script></head>
  <body>${inBody}</body></html>`;

async function open(html: string, headers?: Record<string, string>) {
  const opened = await openHtml(html, headers, { reducedMotion: "reduce" });
  await opened.page.locator("pageside-tray .ps-header").waitFor();
  await opened.page.getByText("Scripted").waitFor();
  return opened;
}

/** The tray alone: 420 pixels at the right edge. */
const trayOf = (page: Page) => page.screenshot({ clip: { x: 681, y: 0, width: 419, height: 800 }, caret: "hide" });

inBrowser("the tray looks the same, pixel for pixel, whatever the page's style sheet says", async () => {
  const calm = await open(pageOf("body { background: white }"));
  const hostile = await open(pageOf(TORTURE));
  for (const { page } of [calm, hostile]) {
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  }
  const isSame = async () => (await trayOf(calm.page)).equals(await trayOf(hostile.page));
  await expect.poll(isSame).toBe(true);
});

inBrowser("the page keeps its own look: nothing of the tray's styles is in the document", async () => {
  const { page } = await open(
    pageOf("", "<main class='ps-root'><h1>Host</h1><button class='ps-send'>Own</button></main>"),
  );
  const found = await page.evaluate(() => ({
    sheets: document.adoptedStyleSheets.length + document.querySelectorAll("style").length,
    background: getComputedStyle(document.querySelector(".ps-send")!).backgroundColor,
    root: getComputedStyle(document.querySelector("main")!).all,
    styled: document.body.getAttribute("style"),
  }));
  expect(found.sheets).toBe(1); // the page's own
  expect(found.background).toBe("rgb(239, 239, 239)");
  expect(found.styled).toBeNull();
});

inBrowser("it works under the strictest content security policy, and with trusted types", async () => {
  const policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
  const html = pageOf("").replace("<style></style>", "");
  const { page, complaints } = await open(html, { "Content-Security-Policy": policy });
  await ask(page, "hello");
  await answerIn(page).filter({ hasText: "This example plays rules from a file." }).waitFor();
  expect(complaints).toEqual([]);
});

inBrowser("keys and focus work inside the shadow root", async () => {
  const { page, complaints } = await open(pageOf("", "<button id=own>Own</button>"));
  const inside = () =>
    page.evaluate(() => document.querySelector("pageside-tray")!.shadowRoot!.activeElement?.className ?? "");
  await page.locator("#own").focus();
  await page.keyboard.press("Control+/"); // from the page: to the input
  await expect.poll(() => inside()).toContain("ps-input");
  await page.keyboard.press("F6");
  await expect.poll(() => inside()).toContain("ps-scroller");
  await page.keyboard.press("F6");
  await expect.poll(() => inside()).toContain("ps-input");
  await page.keyboard.press("Control+/"); // from inside: closes
  await page.locator("pageside-tray .ps-launcher").waitFor();
  await expect.poll(() => inside()).toContain("ps-launcher");
  await page.locator("#own").focus();
  await page.keyboard.press("Control+/"); // opened from the page, the focus goes back there
  await expect.poll(() => inside()).toContain("ps-input");
  await page.keyboard.press("Escape");
  await page.locator("pageside-tray .ps-launcher").waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("own");
  expect(complaints).toEqual([]);
});

inBrowser("a sheet on a phone keeps the focus inside", async () => {
  const { page } = await open(pageOf("", "<button id=own>Own</button>"));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator('.ps-tray[aria-modal="true"]').waitFor(); // a sheet now
  await page.getByRole("textbox", { name: "Message" }).focus();
  for (let press = 0; press < 12; press++) {
    await page.keyboard.press("Tab");
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("PAGESIDE-TRAY");
  }
});

inBrowser("the element opens, closes, sends, tells of it, and is moved without losing its thread", async () => {
  const { page, complaints } = await open(pageOf("", "<main></main>"));
  const events = await page.evaluate(async () => {
    const seen: string[] = [];
    const tray = document.querySelector("pageside-tray") as HTMLElement & {
      open(): void;
      close(): void;
      send(text: string): Promise<void>;
      client: { getSnapshot(): { messages: unknown[]; threadId: string } };
    };
    for (const type of ["pageside-open", "pageside-close"]) document.addEventListener(type, () => seen.push(type));
    const until = async (holds: () => boolean) => {
      while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    tray.close();
    await until(() => !tray.hasAttribute("open") && seen.includes("pageside-close"));
    seen.push(`open=${tray.hasAttribute("open")}`);
    const thread = tray.client.getSnapshot().threadId;
    await tray.send("hello");
    await until(() => seen.includes("pageside-open") && tray.client.getSnapshot().messages.length > 1);
    seen.push(`messages=${tray.client.getSnapshot().messages.length}`);
    document.querySelector("main")!.append(tray);
    await until(() => tray.hasAttribute("open") && tray.shadowRoot!.querySelector(".ps-input") !== null);
    seen.push(`same=${tray.client.getSnapshot().threadId === thread}`, `open=${tray.hasAttribute("open")}`);
    tray.setAttribute("lang", "de");
    return seen;
  });
  expect(events).toEqual(["pageside-close", "open=false", "pageside-open", "messages=2", "same=true", "open=true"]);
  await page
    .getByPlaceholder(/Frage/)
    .or(page.getByRole("textbox", { name: "Nachricht" }))
    .first()
    .waitFor();
  expect(complaints).toEqual([]);
});
