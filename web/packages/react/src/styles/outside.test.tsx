import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { isolate } from "../../../../scripts/isolate.mjs";
import { styleRules } from "../../dev/cssRules.js";

const folder = import.meta.dirname;
const sheets = readdirSync(folder).filter((name) => name.endsWith(".css"));
const selectors = sheets
  .flatMap((name) => [...styleRules(isolate(readFileSync(`${folder}/${name}`, "utf8")))])
  // Of a layer: any rule of the page's wins.
  .filter(({ inside }) => !inside.includes("@layer pageside.host"))
  .flatMap((rule) => rule.selectors)
  // jsdom has no such states, and knows no direction
  .filter((selector) => !/:(?:active|focus-visible|dir\(|has\()/.test(selector))
  .map((selector) => selector.replace(/::[a-z-]+(?:\([a-z-]+\))?/g, ""));
const classes = [...new Set(selectors.join().match(/(?<=\.)ps-[\w-]+/g))].filter((name) => name !== "ps-root");

/** A page that uses all our classes. */
function fill(page: HTMLElement) {
  for (const name of ["div", "p", "button", "a", "pre", "input", "svg", "table", "h2", "ul"]) {
    const element = page.appendChild(document.createElement(name));
    element.className = classes.join(" ");
    element.append(document.createElement("span"), document.createElement(name));
  }
}

it("matches no element that is not in the tray, whatever it is called", () => {
  fill(document.body);
  expect(classes.length).toBeGreaterThan(50);
  expect(selectors.filter((selector) => document.querySelector(selector))).toEqual([]);
});

it("outweighs the page with each of its selectors, however they are written", () => {
  expect(selectors.filter((selector) => !selector.startsWith(":not(#ps-#ps-):where(.ps-root"))).toEqual([]);
});

it("matches by bare element names nothing that a page draws inside the tray", () => {
  document.body.innerHTML = '<div class="ps-root"><div class="ps-host"><main></main></div></div>';
  const drawn = document.querySelector("main")!;
  for (const name of ["p", "button", "a", "pre", "h2", "ul", "svg", "img"]) drawn.append(document.createElement(name));
  const hits = selectors.filter((selector) => drawn.querySelector(selector));
  // Less motion is the reader's wish, also in what the page draws.
  const motion = [":not(#ps-#ps-):where(.ps-root, .ps-root *)", ":not(#ps-#ps-):where(.ps-root *)"];
  expect(hits.filter((hit) => !motion.includes(hit))).toEqual([]);
});
