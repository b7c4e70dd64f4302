// Records the walk-through of the README: a minute of the demo on its generated sample, as a WebM
// of docs/images. Needs `make build` and Chromium (CHROMIUM_PATH, or where it usually is), which
// films and encodes.
import { writeFileSync } from "node:fs";
import { answered, images, messageBox, onStage, settled, weigh } from "./stage.mjs";
import { webm } from "./webm.mjs";

const size = { width: 1280, height: 800 };
const path = `${images}walkthrough.webm`;
const largest = 3_000_000; // bytes
const tick = 80; // ms between two pictures of the film

await onStage(300, async (url, browser) => {
  const context = await browser.newContext({ viewport: size, colorScheme: "light" });
  context.setDefaultTimeout(15_000);
  await context.addInitScript(props);
  const page = await context.newPage();
  await page.goto(url);
  await settled(page);
  await page.mouse.move(600, 500);
  const film = await record(context, page);
  await play(page, url);
  const frames = await film.stop();
  const { chunks, duration } = await encode(context, frames);
  writeFileSync(path, webm({ ...size, codec: "V_VP9", duration, chunks }));
  console.warn(`${(duration / 1000).toFixed(1)} s, ${chunks.length} pictures`);
  weigh(path, largest);
});

/** What happens in that minute. */
async function play(page, url) {
  await say(page, "Pageside: an assistant beside any page", 2500);

  await say(page, "It sees what is on screen, and works in the page");
  await ask(page, "Which pages give the most 404s?");
  await page.waitForTimeout(3000);
  await ask(page, "Draw a chart of the requests by status");
  await page.waitForTimeout(3000);

  await say(page, "What changes something asks first");
  await ask(page, "Alert me when there are more than 4 404s in an hour");
  await page.waitForTimeout(1200);
  await type(page, "Delete the alert");
  const approve = page.getByRole("button", { name: "Approve" });
  await approve.waitFor();
  await page.waitForTimeout(1500);
  await click(page, approve);
  await page.getByRole("log").getByText("I deleted the alert").waitFor();
  await settled(page);
  await page.waitForTimeout(1500);

  await say(page, "It proposes, you accept, and you can take it back");
  await click(page, page.getByRole("button", { name: "Try this" }));
  const item = page.getByRole("dialog", { name: "Try this" }).getByRole("button", { name: "What am I missing?" });
  const said = await item.locator(".scenario-text").innerText();
  await page.waitForTimeout(1000);
  await click(page, item);
  await answered(page, said.slice(1, -1));
  await page.waitForTimeout(2200);
  await click(page, page.getByRole("log").getByRole("button", { name: "Apply query" }));
  await settled(page);
  await page.waitForTimeout(2200);
  await click(page, page.getByRole("log").getByRole("button", { name: "Undo" }));
  await settled(page);
  await page.waitForTimeout(1500);

  await page.goto(`${url}/inspector`);
  await say(page, "The inspector shows what every run did: calls, prompt, tokens", 2200);
  await click(page, page.getByRole("navigation", { name: "Runs" }).getByRole("button", { name: "404s in an hour" }));
  await page.waitForTimeout(2500);
  await click(page, page.getByRole("tab", { name: "Prompt" }));
  await page.waitForTimeout(3000);
  await say(page, "Try it: make demo", 2500);
}

/** A line at the bottom of the picture. */
async function say(page, line, pause = 600) {
  await page.evaluate((text) => globalThis.caption(text), line);
  await page.waitForTimeout(pause);
}

async function ask(page, question) {
  await type(page, question);
  await answered(page, question);
}

async function type(page, text) {
  await click(page, messageBox(page));
  await page.keyboard.type(text, { delay: 28 });
  await page.waitForTimeout(250);
  await page.keyboard.press("Enter");
}

async function click(page, what) {
  await what.waitFor();
  await what.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await what.boundingBox();
  await page.mouse.move(x + Math.min(width / 2, 140), y + height / 2, { steps: 18 });
  await page.waitForTimeout(250);
  await what.click({ position: { x: Math.min(width / 2, 140), y: height / 2 } });
}

/** In the page: a pointer where the mouse is, and the line. A headless browser draws neither. */
function props() {
  const pointer = document.createElement("div");
  pointer.innerHTML = `<svg width="22" height="22" viewBox="0 0 22 22"><path d="M3 2l14 8.5-6.3 1.3L7.5 18z" fill="#111" stroke="#fff" stroke-width="1.6"/></svg>`;
  pointer.style.cssText = "position:fixed;left:0;top:0;z-index:2147483647;pointer-events:none;line-height:0";
  const line = document.createElement("div");
  line.style.cssText =
    "position:fixed;left:28px;bottom:28px;z-index:2147483647;pointer-events:none;padding:10px 20px;border-radius:10px;" +
    "font:600 19px/1.4 system-ui,sans-serif;color:#fff;background:#111827ee;box-shadow:0 4px 20px #0005";
  line.hidden = true;
  for (const each of [pointer, line]) each.setAttribute("aria-hidden", "true");
  const place = (x, y) => (pointer.style.transform = `translate(${x - 3}px, ${y - 2}px)`);
  place(600, 500);
  addEventListener("mousemove", (event) => place(event.clientX, event.clientY), true);
  addEventListener("DOMContentLoaded", () => document.documentElement.append(pointer, line));
  globalThis.caption = (text) => {
    line.textContent = text;
    line.hidden = false;
  };
}

/** Films the page; stop returns the pictures with their times. */
async function record(context, page) {
  const session = await context.newCDPSession(page);
  const frames = [];
  session.on("Page.screencastFrame", ({ data, metadata, sessionId }) => {
    frames.push({ at: metadata.timestamp * 1000, data });
    void session.send("Page.screencastFrameAck", { sessionId }).catch(() => {});
  });
  await session.send("Page.startScreencast", { format: "jpeg", quality: 90 });
  return {
    async stop() {
      const end = Date.now();
      await session.send("Page.stopScreencast");
      const begin = frames[0].at;
      const shown = frames.map(({ at, data }) => ({ at: Math.round((at - begin) / tick) * tick, data }));
      // one picture a tick
      const seen = shown.filter(({ at }, index) => at !== shown[index + 1]?.at);
      return [...seen, { at: Math.round(end - begin), data: seen.at(-1).data }];
    },
  };
}

/** Encodes in the browser, which has the encoder. */
async function encode(context, frames) {
  const page = await context.newPage();
  await page.route("**/*", (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html>" }));
  await page.goto("http://localhost/"); // encoders are there for secure origins only
  const chunks = [];
  await page.exposeFunction("keep", (at, key, data) => chunks.push({ at, key, data: Buffer.from(data, "base64") }));
  await page.evaluate(begin, size);
  for (const { at, data } of frames) await page.evaluate(([time, jpeg]) => globalThis.add(time, jpeg), [at, data]);
  await page.evaluate(() => globalThis.end());
  await page.close();
  return { chunks, duration: frames.at(-1).at + tick };
}

/** In the page: an encoder of the screen's size. */
function begin({ width, height }) {
  const jobs = [];
  let failed;
  const encoder = new VideoEncoder({
    output(chunk) {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      jobs.push(globalThis.keep(chunk.timestamp / 1000, chunk.type === "key", bytes.toBase64()));
    },
    error: (error) => (failed = error),
  });
  encoder.configure({
    codec: "vp09.00.31.08",
    width,
    height,
    bitrate: 330_000,
    framerate: 12,
    latencyMode: "quality",
    contentHint: "text",
  });
  let nextKey = 0;
  globalThis.add = async (at, jpeg) => {
    if (failed) throw failed;
    const picture = await createImageBitmap(new Blob([Uint8Array.fromBase64(jpeg)], { type: "image/jpeg" }));
    const frame = new VideoFrame(picture, { timestamp: at * 1000 });
    encoder.encode(frame, { keyFrame: at >= nextKey });
    if (at >= nextKey) nextKey = at + 10_000;
    frame.close();
    picture.close();
    while (encoder.encodeQueueSize > 4) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  globalThis.end = async () => {
    await encoder.flush();
    await Promise.all(jobs);
    if (failed) throw failed;
  };
}
