/**
 * The assistant as one script tag:
 *
 *     <script type="module" src="https://assistant.example/pageside.js" data-roots="html"></script>
 *
 * It defines `<pageside-tray>` and adds one to the page unless that has its own, registers what
 * `data-pageside-*` attributes declare below the roots, and sets `window.pageside`. No text of the
 * page is ever read as HTML, no code is made from text, and no style or script is written into the
 * document: a strict content security policy holds.
 */
import { createApi, type PagesideApi } from "./api.js";
import { allOfPage, bodyOfPage } from "./attributes/dom.js";
import { isIgnored } from "./attributes/names.js";
import { observe } from "./attributes/observe.js";
import { defineElement, NAME } from "./element.js";
import { createPage } from "./page.js";
import { findScript, readSettings } from "./settings.js";

declare global {
  interface Window {
    pageside?: PagesideApi;
  }
}

function start(): void {
  if (customElements.get(NAME)) return; // the script is included twice
  const script = findScript(import.meta.url);
  const own = allOfPage(NAME).find((element) => !isIgnored(element));
  const home = readSettings(undefined, script, import.meta.url).url;
  const page = createPage(readSettings(own, script, import.meta.url), script, home);
  window.pageside = createApi(page);
  defineElement(page);
  observe(page);
  if (!own) bodyOfPage().append(document.createElement(NAME));
  void import("./attributes/misspelt.js").then(
    ({ tellMisspelt }) => tellMisspelt(script, page.roots),
    () => undefined, // the page works without
  );
  window.dispatchEvent(new CustomEvent("pageside-ready", { detail: window.pageside }));
}

// Modules run after parsing, unless they are async or inserted by a script.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start, { once: true });
else start();
