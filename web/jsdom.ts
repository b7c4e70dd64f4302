// jsdom with one table of directions: matching `:dir()` against an element asks bidi-js for all of
// Unicode's again, a fifth of the time that the tests of the tray took.
import { createRequire } from "node:module";
import { builtinEnvironments } from "vitest/runtime";

const require = createRequire(import.meta.url);

const bidi: unknown = (require("bidi-js") as () => unknown)();
require.cache[require.resolve("bidi-js")]!.exports = () => bidi;

export default { ...builtinEnvironments.jsdom, name: "jsdom" };
