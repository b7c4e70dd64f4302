// jsdom that React leaves in peace, with one table of directions: matching `:dir()` against an
// element asks bidi-js for all of Unicode's again, a fifth of the time that the tests of the tray
// took.
import { createRequire } from "node:module";
import { builtinEnvironments } from "vitest/runtime";

const require = createRequire(import.meta.url);

const bidi: unknown = (require("bidi-js") as () => unknown)();
require.cache[require.resolve("bidi-js")]!.exports = () => bidi;

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
