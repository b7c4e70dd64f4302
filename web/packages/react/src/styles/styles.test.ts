// @vitest-environment node
import { build } from "esbuild";
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { isolate } from "../../../../scripts/isolate.mjs";
import { splitSelectors, styleRules } from "../../dev/cssRules.js";

const folder = import.meta.dirname;
const bundled = { entryPoints: [`${folder}/tray.css`], bundle: true, write: false as const };
/** What every shipped selector begins with. */
const WEIGHT = ":not(#ps-#ps-):where(.ps-root";
const sheets = readdirSync(folder).filter((name) => name.endsWith(".css"));

/** The list inside a selector's leading `:where(…)`, and what follows it. */
function leadingWhere(selector: string): { list: string[]; rest: string } | undefined {
  if (!selector.startsWith(":where(")) return undefined;
  let depth = 0;
  for (let at = 6; at < selector.length; at++) {
    if (selector[at] === "(") depth++;
    else if (selector[at] === ")" && --depth === 0) {
      return { list: splitSelectors(selector.slice(7, at)), rest: selector.slice(at + 1) };
    }
  }
  return undefined;
}

const all = sheets.flatMap((name) =>
  [...styleRules(readFileSync(`${folder}/${name}`, "utf8"))].map((rule) => ({ name, ...rule })),
);

it("reads the style sheets", () => {
  expect(all.length).toBeGreaterThan(100);
});

it("matches nothing outside the tray and weighs nothing against the host", () => {
  const strays = all.flatMap(({ name, selectors }) =>
    selectors
      .filter((selector) => {
        const where = leadingWhere(selector);
        const rooted = where?.list.every((part) => /^\.ps-root(?:$|[\s:[.])/.test(part));
        // A pseudo-element cannot stand inside :where(); a state may follow it.
        return !rooted || !/^(?:::[a-z-]+\([a-z-]+\)|::?[a-z-]+)*$/.test(where!.rest);
      })
      .map((selector) => `${name}: ${selector}`),
  );
  expect(strays).toEqual([]);
});

it("stands in the layer pageside, all of it, and its variables where a page's one class outweighs them", () => {
  const layerOf = (name: string) => (name === "tokens.css" ? "@layer pageside.tokens" : "@layer pageside");
  const strays = all.filter(({ name, inside }) => inside[0] !== layerOf(name) && inside[0] !== "@layer pageside.host");
  expect(strays).toEqual([]);
  const tokens = all.filter(({ name }) => name === "tokens.css").flatMap(({ body }) => body.split(";"));
  expect(tokens.map((line) => line.trim()).filter((line) => line && !line.startsWith("--ps-"))).toEqual([]);
});

describe("as it is shipped", () => {
  const shipped = async () => {
    const { outputFiles } = await build({ ...bundled, minify: false });
    return [...styleRules(isolate(outputFiles[0]!.text))];
  };

  it("outweighs what a page says of elements, classes and one id, in no layer", async () => {
    const rules = (await shipped()).filter(({ inside }) => !inside.some((each) => each.includes("@layer pageside.")));
    expect(rules.length).toBeGreaterThan(100);
    expect(rules.filter(({ inside }) => inside.some((each) => each.startsWith("@layer")))).toEqual([]);
    const light = rules.flatMap(({ selectors }) => selectors).filter((each) => !each.startsWith(WEIGHT));
    expect(light).toEqual([]);
  });

  it("is as dark by the system as by choice", async () => {
    const bodyOf = async (theme: RegExp, media?: string) =>
      (await shipped()).find(({ selectors, inside }) => theme.test(selectors[0] ?? "") && inside[1] === media)?.body;
    const chosen = await bodyOf(/data-theme="?dark/);
    expect(chosen).toContain("--ps-scheme: dark");
    expect(await bodyOf(/data-theme="?auto/, "@media (prefers-color-scheme: dark)")).toBe(chosen);
  });
});

it("names its classes, variables and animations with ps-", () => {
  const foreign = all.flatMap(({ name, selectors, body, inside }) =>
    [
      ...selectors.flatMap((selector) => [...selector.matchAll(/\.([a-z][\w-]*)/gi)].map(([, found]) => found!)),
      ...[...body.matchAll(/--([\w-]+)/g)].map(([, found]) => found!),
      ...inside.filter((rule) => rule.startsWith("@keyframes")).map((rule) => rule.split(/\s+/)[1]!),
    ]
      .filter((found) => !found.startsWith("ps-"))
      .map((found) => `${name}: ${found}`),
  );
  expect(foreign).toEqual([]);
});

it("uses logical properties, so that it reads from right to left too", () => {
  const physical =
    /(?:^|[;{\s])((?:margin|padding|border|inset)-(?:left|right)|left|right|float|(?:min-|max-)?(?:width|height))\s*:/g;
  const found = all.flatMap(({ name, body }) =>
    [...body.matchAll(physical)].map(([, property]) => `${name}: ${property}`),
  );
  expect(found).toEqual([]);
});

it("is at most 9 kB as it is shipped", async () => {
  const { outputFiles } = await build({ ...bundled, minify: true });
  expect(gzipSync(isolate(outputFiles[0]!.text), { level: 9 }).length).toBeLessThanOrEqual(9 * 1024);
});

it("brings the styles of the panels along with them, as they are shipped", async () => {
  const { outputFiles } = await build({ ...bundled, entryPoints: [`${folder}/panels.css`], minify: true });
  const { panelStyles } = await import("../tray/panels/panelStyles.js");
  expect(panelStyles).toBe(isolate(outputFiles[0]!.text.trim()));
});
