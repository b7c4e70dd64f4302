// Bundles one style sheet as it is shipped: node scripts/css.mjs <in.css> <out.css>.
import { readFile } from "node:fs/promises";
import { build } from "esbuild";
import { isolate } from "./isolate.mjs";

/** Every `.css` file on its way in. */
const isolated = {
  name: "isolated",
  setup: (setup) =>
    setup.onLoad({ filter: /\.css$/ }, async ({ path }) => ({
      contents: isolate(await readFile(path, "utf8")),
      loader: "css",
    })),
};

const [entry, outfile] = process.argv.slice(2);
await build({ entryPoints: [entry], outfile, bundle: true, minify: true, logLevel: "warning", plugins: [isolated] });
