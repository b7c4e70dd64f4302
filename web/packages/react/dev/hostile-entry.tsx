// Runs in the browser; started by ../test/browser/hostile.test.mjs.
import { createRoot, type Root } from "react-dom/client";
import { flushSync } from "react-dom";
import { Markdown } from "../src/markdown/Markdown.js";
import { AssistantProvider } from "../src/provider.js";
import "../src/styles/tray.css";
import { AssistantTray } from "../src/tray/index.js";
import { fakeClient } from "./fakeClient.js";
import { allHostile } from "./hostile.js";
import { hostileSnapshot } from "./hostileStates.js";
import { prefixes } from "./render.js";

const FOREIGN =
  "script, img, iframe, object, embed, link, base, meta, video, audio, source, track, math, portal, template, pageside-tray, [srcset], [ping], [formaction], [data-pageside-tool]";

/** What is in the document and must not be. Our own styles and icons are in it as well. */
function dangersIn(element: Element, text: string): string[] {
  const from = `from ${JSON.stringify(text)}`;
  const found = [...element.querySelectorAll(FOREIGN)].map(({ localName }) => `<${localName}> ${from}`);
  for (const each of element.querySelectorAll("*"))
    for (const { name } of each.attributes) if (/^on/.test(name)) found.push(`${name} ${from}`);
  for (const link of element.querySelectorAll<HTMLAnchorElement>("a")) {
    if (!/^(?:https?|mailto|about):$/.test(link.protocol)) found.push(`${link.protocol} ${from}`);
    if (!/noopener.*noreferrer/.test(link.rel)) found.push(`rel=${link.rel} ${from}`);
    if (link.host !== location.host && /^http/.test(link.protocol) && link.target !== "_blank")
      found.push(`target ${from}`);
  }
  if ("polluted" in {} || "isAdmin" in {}) found.push(`a prototype is polluted ${from}`);
  return found;
}

const pause = (milliseconds = 1) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const some = (step: number, from: number) => allHostile.filter((_, index) => index % step === from % step);

/** Goes over everything with the mouse and the focus. */
function touch(element: Element): void {
  for (const each of element.querySelectorAll<HTMLElement>("a, figure, td, p, button, [tabindex]")) {
    each.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
    each.focus();
  }
}

/** Streams every `step`th text into the page, `stride` characters at a time. */
async function streamHostile(step: number, stride: number): Promise<string[]> {
  const found: string[] = [];
  for (const [index, source] of some(step, 0).entries()) {
    const element = document.body.appendChild(document.createElement("div"));
    const root = createRoot(element);
    for (const prefix of prefixes(source)) {
      if (prefix.length % stride !== index % stride) continue;
      flushSync(() => root.render(<Markdown source={prefix} streaming />));
      found.push(...dangersIn(element, prefix));
    }
    flushSync(() => root.render(<Markdown source={source} />));
    found.push(...dangersIn(element, source));
    touch(element);
    await pause();
    root.unmount();
    element.remove();
  }
  return found;
}

/** How many texts stand on one screen. */
const TOGETHER = 8;

/**
 * Shows every `step`th text wherever the tray shows texts, opens what can be opened, and does it
 * again with a new tray, as after a reload.
 */
async function showHostile(step: number): Promise<string[]> {
  const found: string[] = [];
  const texts = some(step, 1);
  for (let from = 0; from < texts.length; from += TOGETHER) {
    const together = texts.slice(from, from + TOGETHER);
    const first = await showOnce(together, `t${from}`, found);
    const again = await showOnce(together, `t${from}`, found);
    if (first === 0 || first !== again) found.push(`${first} then ${again} elements from ${JSON.stringify(together)}`);
  }
  return found;
}

async function showOnce(texts: readonly string[], id: string, found: string[]): Promise<number> {
  const element = document.body.appendChild(document.createElement("div"));
  const root: Root = createRoot(element);
  const client = fakeClient(hostileSnapshot(texts, id));
  root.render(
    <AssistantProvider client={client} defaultOpen>
      <AssistantTray title={texts[0]} pageName={texts[0]} suggestions={texts} />
    </AssistantProvider>,
  );
  await settled(element, texts.length);
  for (const closed of element.querySelectorAll<HTMLElement>(".ps-transcript [aria-expanded=false]")) closed.click();
  await settled(element, texts.length);
  found.push(...dangersIn(element, texts.join("\n")));
  touch(element);
  const count = element.querySelectorAll(".ps-answer-body *").length;
  root.unmount();
  element.remove();
  return count;
}

/** Waits until all turns are drawn and nothing more is. */
async function settled(element: Element, turns: number): Promise<void> {
  for (let before = -1, same = 0; same < 8;) {
    await pause(10);
    const now = element.querySelectorAll("*").length;
    const isDrawn = element.querySelectorAll(".ps-answer-body").length >= turns;
    same = isDrawn && now === before ? same + 1 : 0;
    before = now;
  }
}

Object.assign(globalThis, { streamHostile, showHostile, hostileCount: allHostile.length });
