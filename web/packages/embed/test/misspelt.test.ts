import { beforeEach, expect, it, vi } from "vitest";
import { tellMisspelt } from "../src/attributes/misspelt.js";
import { Roots } from "../src/attributes/roots.js";

let warnings: string[];

beforeEach(() => {
  warnings = [];
  vi.spyOn(console, "warn").mockImplementation((text: string) => void warnings.push(text));
});

function tell(html: string, script = "", roots = "html"): string[] {
  document.body.innerHTML = html;
  const tag = document.createElement("div");
  tag.innerHTML = `<script type="module" src="/pageside.js" ${script}></script>`;
  tellMisspelt(tag.firstElementChild!, new Roots(roots));
  return warnings;
}

it("names the attribute that was meant", () => {
  expect(tell(`<form data-pageside-tol="x" data-pageside-desciption="y"></form>`)).toEqual([
    "Pageside: there is no attribute data-pageside-tol; did you mean data-pageside-tool?",
    "Pageside: there is no attribute data-pageside-desciption; did you mean data-pageside-description?",
  ]);
});

it("says that there is no such attribute where none comes near", () => {
  expect(tell(`<p data-pageside-instructions="x"></p>`)).toEqual([
    "Pageside: there is no attribute data-pageside-instructions.",
  ]);
});

it("reads the script tag and trays, and their values", () => {
  const html = `<pageside-tray pagename="x" layout="dock" class="a"></pageside-tray>`;
  expect(tell(html, `data-root="html" data-theme="night" data-voice="no"`)).toEqual([
    "Pageside: there is no attribute data-root; did you mean data-roots?",
    'Pageside: data-theme="night" is not known: it is one of auto, light, dark.',
    'Pageside: data-voice="no" is not known: it is one of on, off.',
    "Pageside: there is no attribute pagename; did you mean page-name?",
    'Pageside: layout="dock" is not known: it is one of docked, overlay, popup, full, inline.',
  ]);
});

it("says nothing of what is right, and nothing of what users wrote", () => {
  const right = `<main data-pageside-page="a" data-pageside-scope-stream="1"><b data-pageside-redact></b></main>`;
  expect(tell(`${right}<i data-pageside-ignore data-pageside-nope></i>`, `data-roots="html" data-token="t"`)).toEqual(
    [],
  );
  expect(tell(`<i data-pageside-nope></i>`, "", "body > main")).toEqual([]);
});

it("stops after ten", () => {
  expect(tell(`<p data-pageside-nope></p>`.repeat(30))).toHaveLength(10);
});
