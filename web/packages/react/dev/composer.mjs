// The message box with the keyboard alone, in Chromium, with the real client and a scripted agent:
// node dev/composer.mjs Commands, mentions, files, drafts, history, input methods, the queue; axe
// with each list open. Exits 1 on any difference.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, eventually, guard, PATIENCE } from "../../../scripts/browser.mjs";
import { withHarness } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

guard("the message box", 1200);

await withHarness(async (browser, _, pageOf) => {
  const context = await browser.newContext({ viewport: { width: 900, height: 860 }, reducedMotion: "reduce" });
  context.setDefaultTimeout(PATIENCE);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  // As docs/sdk/csp.md has it. What the policy blocks is an error in the console.
  await context.route("**/composer.html*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": "img-src data:" } });
  });
  await context.addInitScript(fakeRecognition);
  const page = await context.newPage();
  page.on("pageerror", (error) => fail(`page error: ${error.message}`));
  page.on(
    "console",
    (message) =>
      message.type() === "error" && !/favicon|404/.test(message.text()) && fail(`console: ${message.text()}`),
  );
  const { keyboard } = page;

  const value = () => page.inputValue(".ps-input");
  const sent = () =>
    page.evaluate(() =>
      globalThis.client
        .getSnapshot()
        .messages.filter(({ role }) => role === "user")
        .map(({ content }) => content),
    );
  const lastSent = async () => (await sent()).at(-1);
  const idle = () => page.waitForFunction(() => globalThis.client.getSnapshot().status === "idle");
  const focused = () => page.evaluate(() => document.activeElement?.className ?? "");
  const active = () =>
    page.evaluate(() => {
      const id = document.activeElement?.getAttribute("aria-activedescendant");
      return (id && document.getElementById(id)?.textContent) ?? "";
    });
  const steps = [];
  const step = async (name, act) => {
    steps.push(name);
    try {
      await act();
    } catch (error) {
      throw new Error(`${name}: ${error.message}\n${await describe(page)}`, { cause: error });
    }
  };
  const inspect = (what) => eventually(() => look(what));
  const look = async (what) => {
    const violations = await page.evaluate(async () => {
      const tags = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"];
      const result = await globalThis.axe.run(".ps-root", { runOnly: tags });
      return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    });
    assert.deepEqual(violations, [], what);
  };

  await page.goto(pageOf("composer.html"));
  await page.waitForSelector(".ps-tools button");
  await page.evaluate(axe);
  await keyboard.press("Control+/");
  await page.waitForFunction(() => document.activeElement?.matches(".ps-input"));

  await step("the list of commands: arrows, End, Home, Escape", async () => {
    await keyboard.type("/");
    await eventually(async () => assert.match(await active(), /^\/analyze/));
    await inspect("commands");
    await keyboard.press("ArrowUp");
    await eventually(async () => assert.match(await active(), /^\/export/));
    await keyboard.press("Home");
    await keyboard.press("ArrowDown");
    await eventually(async () => assert.match(await active(), /^\/explain/));
    await keyboard.press("End");
    await eventually(async () => assert.match(await active(), /^\/export/));
    await keyboard.press("Escape");
    await eventually(async () => assert.equal(await page.locator("[role=listbox]").count(), 0));
    await eventually(async () => assert.equal(await page.locator(".ps-tray").getAttribute("inert"), null));
    await keyboard.press("Backspace");
  });

  await step("Tab completes, the argument is hinted at, Enter sends", async () => {
    await keyboard.type("/expl");
    await keyboard.press("Tab");
    await eventually(async () => assert.equal(await value(), "/explain "));
    await eventually(async () => assert.match(await page.locator(".ps-ghost-text").textContent(), /<field>/));
    await eventually(aligned);
    await keyboard.type("status");
    await keyboard.press("Enter");
    await idle();
    await eventually(async () => assert.equal(await lastSent(), "Explain the field status"));
  });

  await step("an unknown command becomes a shortcut", async () => {
    await keyboard.type("/debug Debug the log");
    await keyboard.press("Enter");
    await page.waitForSelector(".ps-command-question");
    await inspect("question");
    await keyboard.press("Enter"); // Save and send has the focus
    await idle();
    await eventually(async () => assert.equal(await lastSent(), "Debug the log"));
    await eventually(async () => assert.equal(await focused(), "ps-input"));
    await keyboard.type("/deb");
    await eventually(async () => assert.match(await active(), /Debug the log/));
    await keyboard.press("Delete");
    await page.waitForFunction(() => !document.querySelector("[role=option]"));
    await keyboard.press("Control+a");
    await keyboard.press("Backspace");
  });

  await step("a mention becomes a pill whose value can be seen", async () => {
    await keyboard.type("Compare @sel");
    await inspect("mentions");
    await keyboard.press("Enter");
    await eventually(async () => assert.equal(await value(), "Compare @selected-rows "));
    await keyboard.press("Shift+Tab"); // its remove button
    await keyboard.press("Shift+Tab"); // its name
    await keyboard.press("Enter");
    await page.waitForSelector(".ps-preview");
    await eventually(async () => assert.match(await page.locator(".ps-preview pre").textContent(), /wp-login/));
    await inspect("preview");
    await keyboard.press("Escape");
    await eventually(async () => assert.equal(await focused(), "ps-input"));
    await keyboard.press("End");
    await keyboard.type("with these");
    await keyboard.press("Enter");
    await idle();
    await eventually(async () => assert.equal(await lastSent(), "Compare @selected-rows with these"));
    const kinds = await page.evaluate(() =>
      globalThis.agent.inputs.at(-1).forwardedProps.pageside.context.map(({ id, kind }) => `${id} ${kind}`),
    );
    assert.ok(kinds.includes("rows mention"), kinds.join());
    await eventually(async () => assert.equal(await page.locator(".ps-pill[data-mention]").count(), 0));
  });

  await step("a file is attached by keyboard, a large image made smaller", async () => {
    const chooser = page.waitForEvent("filechooser");
    await keyboard.press("Tab"); // the first button below the text
    await keyboard.press("Enter");
    const large = await page.evaluate(async () => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 3000, height: 1500 });
      canvas.getContext("2d").fillRect(0, 0, 3000, 1500);
      const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
      return [...new Uint8Array(await blob.arrayBuffer())];
    });
    await (
      await chooser
    ).setFiles([
      { name: "large.png", mimeType: "image/png", buffer: Buffer.from(large) },
      { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("notes") },
    ]);
    await page.waitForFunction(
      () =>
        document.querySelectorAll(".ps-file").length === 2 && !document.querySelector(".ps-file [role=progressbar]"),
    );
    await inspect("files");
    await eventually(async () => assert.equal(await focused(), "ps-input"));
    await keyboard.type("what is in there?");
    await keyboard.press("Enter");
    await idle();
    const [text, image, notes] = await eventually(async () => {
      const sent = await lastSent();
      assert.equal(sent.length, 3);
      assert.equal(sent[0].text, "what is in there?");
      return sent;
    });
    assert.equal(text.type, "text");
    assert.equal(atob(notes.source.value), "notes");
    const size = await page.evaluate(async (data) => {
      const blob = await (await fetch(`data:image/png;base64,${data}`)).blob();
      const { width, height } = await createImageBitmap(blob);
      return [width, height];
    }, image.source.value);
    assert.deepEqual(size, [2048, 1024]);
  });

  await step("files are dropped on a tray that says what it takes; others are refused in words", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pageside-files-"));
    const files = ["log.txt", "setup.exe"].map((name) => join(folder, name));
    for (const file of files) writeFileSync(file, "line\n".repeat(1000));
    const session = await context.newCDPSession(page);
    const drag = async (type) => {
      const { x, y, width, height } = await page.locator(".ps-tray").boundingBox();
      const data = { items: [], files, dragOperationsMask: 1 };
      await session.send("Input.dispatchDragEvent", { type, x: x + width / 2, y: y + height / 2, data });
    };
    try {
      await drag("dragEnter");
      await drag("dragOver");
      const hint = await page.locator(".ps-drop").innerText();
      assert.match(hint, /Drop files to add them\s+PNG, JPEG, GIF, WEBP, PDF, text, JSON\s+At most 8 files, 2.5 MB/);
      await inspect("dragged files");
      await drag("drop");
      await page.waitForSelector(".ps-drop", { state: "detached" });
      await page.waitForFunction(
        () => document.querySelector(".ps-composer [role=status]")?.textContent === "1 file attached",
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
    assert.match(await page.locator(".ps-composer .ps-file").innerText(), /log.txt\s+5 kB/);
    assert.match(
      await page.locator(".ps-composer .ps-notice").innerText(),
      /“setup.exe” is of a kind .* Accepted: PNG, /,
    );
    await inspect("dropped files");
    await eventually(async () => assert.equal(await focused(), "ps-input"));
  });

  await step("an image is pasted, seen under a policy without blob:, and removed by keyboard", async () => {
    await page.evaluate(async () => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 300, height: 150 });
      canvas.getContext("2d").fillRect(0, 0, 300, 150);
      const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
      await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
    });
    await keyboard.press("Control+v");
    await page.waitForFunction(() => document.querySelector(".ps-composer .ps-file-image > img")?.naturalWidth === 300);
    await keyboard.press("Backspace");
    await page.waitForFunction(() => document.querySelectorAll(".ps-composer .ps-file").length === 1);
    await keyboard.press("Shift+Tab"); // the button that removes the file
    await keyboard.press("Delete");
    await page.waitForSelector(".ps-composer .ps-file", { state: "detached" });
    await eventually(async () => assert.equal(await focused(), "ps-input"));
  });

  await step("history: back, forward, and lines", async () => {
    await keyboard.press("ArrowUp");
    await eventually(async () => assert.equal(await value(), "what is in there?"));
    await keyboard.press("ArrowUp");
    await eventually(async () => assert.equal(await value(), "Compare @selected-rows with these"));
    await keyboard.press("ArrowDown");
    await keyboard.press("ArrowDown");
    await eventually(async () => assert.equal(await value(), ""));
    await keyboard.type("one");
    await keyboard.press("Shift+Enter");
    await keyboard.type("two");
    await keyboard.press("Enter");
    await eventually(async () => assert.equal(await lastSent(), "one\ntwo"));
    await idle();
    await keyboard.press("ArrowUp");
    await eventually(async () => assert.equal(await value(), "one\ntwo"));
    await keyboard.press("ArrowUp"); // from the second line to the first
    await eventually(async () => assert.equal(await value(), "one\ntwo"));
    await keyboard.press("ArrowUp");
    await eventually(async () => assert.equal(await value(), "what is in there?"));
    await keyboard.press("Control+a");
    await keyboard.press("Backspace");
  });

  await step("an input method composes, and its Enter sends nothing", async () => {
    const session = await context.newCDPSession(page);
    const before = (await sent()).length;
    await session.send("Input.imeSetComposition", { text: "にほn", selectionStart: 3, selectionEnd: 3 });
    const key = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 229 };
    await session.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key });
    await session.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
    await eventually(async () => assert.equal((await sent()).length, before));
    await session.send("Input.insertText", { text: "にほん" });
    await eventually(async () => assert.equal(await value(), "にほん"));
    await keyboard.press("Enter");
    await idle();
    await eventually(async () => assert.equal(await lastSent(), "にほん"));
  });

  await step("it grows to eight rows, and nothing above jumps", async () => {
    const height = () => page.evaluate(() => document.querySelector(".ps-input").offsetHeight);
    const one = await height();
    for (let line = 0; line < 3; line++) await keyboard.press("Shift+Enter");
    await eventually(async () => assert.equal(await height(), one + 60));
    for (let line = 0; line < 9; line++) await keyboard.press("Shift+Enter");
    await eventually(async () => assert.equal(await height(), 180));
    await keyboard.press("Control+a");
    await keyboard.press("Backspace");
    await eventually(async () => assert.equal(await height(), one));
  });

  await step("a draft outlives a reload", async () => {
    await keyboard.type("half a thought");
    await page.waitForFunction(() => JSON.stringify(sessionStorage).includes("half a thought"));
    await page.reload();
    await page.waitForSelector(".ps-tools button");
    await page.waitForFunction(() => document.querySelector(".ps-input").value === "half a thought");
    await page.focus(".ps-input");
    await keyboard.press("Control+a");
    await keyboard.press("Backspace");
    await page.evaluate(axe);
  });

  await step("the queue: reordered, removed, and sent at once", async () => {
    await keyboard.type("Answer slowly");
    await keyboard.press("Enter");
    await page.waitForFunction(() => globalThis.client.getSnapshot().status === "streaming");
    for (const text of ["one", "two", "three"]) {
      await keyboard.type(text);
      await keyboard.press("Enter");
    }
    await page.waitForFunction(() => document.querySelectorAll(".ps-queue li").length === 3);
    await inspect("queue");
    const order = () =>
      page.evaluate(() =>
        globalThis.client
          .getSnapshot()
          .queue.map(({ text }) => text)
          .join(),
      );
    const until = (wanted) =>
      page.waitForFunction(
        (expected) =>
          globalThis.client
            .getSnapshot()
            .queue.map(({ text }) => text)
            .join() === expected,
        wanted,
      );
    await page.focus('[aria-label="Remove: three"]');
    await keyboard.press("Alt+ArrowUp");
    await until("one,three,two");
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Remove: three");
    await keyboard.press("Enter");
    await until("one,two");
    await page.focus(".ps-input");
    await keyboard.type("rather this");
    await keyboard.press("Control+Shift+Enter");
    await until("");
    await idle();
    await eventually(async () =>
      assert.deepEqual((await sent()).slice(-4), ["Answer slowly", "rather this", "one", "two"]),
    );
    await eventually(async () => assert.equal(await order(), ""));
  });

  await step("help without a model", async () => {
    const runs = await page.evaluate(() => globalThis.agent.inputs.length);
    await keyboard.type("/help");
    await keyboard.press("Enter");
    await page.waitForSelector(".ps-help");
    await inspect("help");
    await keyboard.press("Escape");
    await eventually(async () => assert.equal(await focused(), "ps-input"));
    await eventually(async () => assert.equal(await page.evaluate(() => globalThis.agent.inputs.length), runs));
  });

  await step("a message is dictated, and sent by Enter", async () => {
    const speak = (...results) => page.evaluate((said) => globalThis.recognition.hear(said), results);
    const dictate = page.getByRole("button", { name: "Dictate" });
    await keyboard.type("Tell me ");
    await dictate.focus();
    await keyboard.press("Enter");
    await eventually(async () => assert.equal(await focused(), "ps-input"));
    await eventually(async () => assert.equal(await dictate.getAttribute("aria-pressed"), "true"));
    assert.equal(await page.evaluate(() => globalThis.recognition.continuous), true);
    await speak("how man");
    await eventually(async () => assert.equal(await value(), "Tell me how man"));
    await speak("how many errors", " there are");
    await eventually(async () => assert.equal(await value(), "Tell me how many errors there are"));
    await inspect("dictating");
    await keyboard.press("Enter");
    await idle();
    await eventually(async () => assert.equal(await lastSent(), "Tell me how many errors there are"));
    await eventually(async () => assert.equal(await dictate.getAttribute("aria-pressed"), "false"));
    assert.deepEqual(await page.evaluate(() => globalThis.recognition.calls), ["start", "abort"]);
    assert.equal(await value(), "");
  });

  await step("a microphone that is refused is told", async () => {
    await page.getByRole("button", { name: "Dictate" }).click();
    await page.evaluate(() => globalThis.recognition.fail("not-allowed"));
    await eventually(async () =>
      assert.match(await page.locator(".ps-notice").innerText(), /does not let this page use the microphone/),
    );
    await inspect("dictating failed");
    await page.locator(".ps-notice button").click();
    await page.locator(".ps-input").focus();
  });

  console.warn(`the message box: ${steps.length} steps by keyboard, axe in 10 states`);

  /** The hint stands where the text ends. */
  async function aligned() {
    const [text, hint] = await page.evaluate(() => {
      const box = (selector) => document.querySelector(selector).getBoundingClientRect();
      return [box(".ps-input"), box(".ps-ghost-text")].map(({ top, left }) => ({ top, left }));
    });
    assert.deepEqual(hint, text);
  }

  function fail(message) {
    console.error(`${steps.at(-1)}: ${message}`);
    process.exitCode = 1;
  }
});

/** The browser's recognition, with a test in the place of the person. Runs in the page. */
function fakeRecognition() {
  globalThis.SpeechRecognition = class {
    calls = [];
    constructor() {
      globalThis.recognition = this;
    }
    start() {
      this.calls.push("start");
    }
    stop() {
      this.calls.push("stop");
      this.onend?.();
    }
    abort() {
      this.calls.push("abort");
      this.onend?.();
    }
    hear(said) {
      this.onresult({ results: said.map((transcript) => [{ transcript }]) });
    }
    fail(error) {
      this.onerror({ error });
      this.onend();
    }
  };
}
