// jsdom that React leaves in peace, and without what takes a third of the tray's tests: for each
// `:dir()` it asks bidi-js for all of Unicode again, and for each style it resolves every colour.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { builtinEnvironments } from "vitest/runtime";

const require = createRequire(import.meta.url);

const bidi: unknown = (require("bidi-js") as () => unknown)();
require.cache[require.resolve("bidi-js")]!.exports = () => bidi;

// What tests, roles and names ask of a style is what is shown, and whether it can be clicked.
const ASKED = ["display", "visibility", "pointer-events"];

const jsdom = createRequire(require.resolve("jsdom"));
const rules = jsdom("./jsdom/living/helpers/style-rules.js") as {
  propertiesWithResolvedValueImplemented: Record<string, unknown>;
};
for (const property of Object.keys(rules.propertiesWithResolvedValueImplemented))
  if (!ASKED.includes(property)) delete rules.propertiesWithResolvedValueImplemented[property];

const cssom = jsdom("@acemir/cssom") as { parse: (text: string, ...rest: unknown[]) => CSSStyleSheet };
const { parse } = cssom;
const browsers = readFileSync(jsdom.resolve("./jsdom/browser/default-stylesheet.css"), "utf8");
cssom.parse = (text, ...rest) => {
  const sheet = parse(text, ...rest);
  if (text !== browsers) return sheet;
  for (let index = sheet.cssRules.length - 1; index >= 0; index--) {
    const { style } = sheet.cssRules[index] as CSSStyleRule;
    if (style && !ASKED.some((property) => style.getPropertyValue(property))) sheet.deleteRule(index);
  }
  return sheet;
};

const { setup } = builtinEnvironments.jsdom;

// React still runs a task for each tree that was unmounted, one or more in a turn of the event
// loop, and asks for `window` in it.
const TURNS = 50;

export default {
  ...builtinEnvironments.jsdom,
  name: "jsdom",
  async setup(...args: Parameters<typeof setup>) {
    const { teardown } = await setup(...args);
    return {
      async teardown(global: typeof globalThis) {
        for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
        await teardown(global);
      },
    };
  },
};
