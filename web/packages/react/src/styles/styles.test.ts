// @vitest-environment node
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

const folder = import.meta.dirname;
const sheets = readdirSync(folder).filter((name) => name.endsWith(".css"));

interface Rule {
  prelude: string;
  body: string;
}

/** The rules of a style sheet, one level deep; enough of CSS for what we write. */
function* rules(css: string): Generator<Rule> {
  const text = css.replace(/\/\*[\s\S]*?\*\//g, "");
  let depth = 0;
  let from = 0;
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "{" && depth++ === 0) open = at;
    else if (text[at] === ";" && depth === 0) from = at + 1;
    else if (text[at] === "}" && --depth === 0) {
      yield { prelude: text.slice(from, open).trim(), body: text.slice(open + 1, at) };
      from = at + 1;
    }
  }
}

/** Every style rule, with the at-rules it stands in. */
function* styleRules(
  css: string,
  inside: string[] = [],
): Generator<{ selectors: string[]; body: string; inside: string[] }> {
  for (const { prelude, body } of rules(css)) {
    if (/^@(?:layer|media|supports|container)/.test(prelude)) yield* styleRules(body, [...inside, prelude]);
    else if (prelude.startsWith("@")) yield { selectors: [], body, inside: [...inside, prelude] };
    else yield { selectors: splitSelectors(prelude), body, inside };
  }
}

/** At the commas that are not in parentheses. */
function splitSelectors(list: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const char of list) {
    if (char === "(") depth++;
    if (char === ")") depth--;
    if (char === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts.map((part) => part.trim());
}

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
        return !rooted || !/^(?:::?[a-z-]+)*$/.test(where!.rest);
      })
      .map((selector) => `${name}: ${selector}`),
  );
  expect(strays).toEqual([]);
});

it("stands in the layer pageside, all of it", () => {
  expect(all.filter(({ inside }) => inside[0] !== "@layer pageside")).toEqual([]);
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

it("is at most 8 kB", async () => {
  const { outputFiles } = await build({
    entryPoints: [`${folder}/tray.css`],
    bundle: true,
    minify: true,
    write: false,
  });
  expect(gzipSync(outputFiles[0]!.contents, { level: 9 }).length).toBeLessThanOrEqual(8 * 1024);
});

it("gives dark the same variables by choice and by the system", () => {
  const variables = (match: (rule: (typeof all)[number]) => boolean) =>
    all
      .find(match)!
      .body.split(";")
      .map((line) => line.trim())
      .filter(Boolean);
  const chosen = variables((rule) => rule.selectors[0] === ':where(.ps-root[data-theme="dark"])');
  const system = variables((rule) => rule.selectors[0] === ':where(.ps-root[data-theme="auto"])');
  expect(system).toEqual(chosen);
});
