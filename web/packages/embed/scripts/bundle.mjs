// The scripts as they are served: pageside.js with the tray, pageside-core.js without, and what
// they load in files named by their content.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import "../../../scripts/panel-styles.mjs";

const source = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/**
 * The tray's style sheet as the default export of a module. In a shadow root it needs no defence
 * against the page's.
 */
const styleSheet = {
  name: "pageside:tray.css",
  setup(setup) {
    setup.onResolve({ filter: /^pageside:tray\.css$/ }, ({ path }) => ({ path, namespace: "pageside" }));
    setup.onLoad({ filter: /.*/, namespace: "pageside" }, async () => {
      const { outputFiles } = await build({
        entryPoints: [source("react/src/styles/tray.css")],
        bundle: true,
        minify: true,
        write: false,
        target: "es2022",
      });
      return { contents: outputFiles[0].text, loader: "text" };
    });
  },
};

/**
 * What each script begins with. They are built apart: together, one would bring what only the other
 * needs.
 */
const entries = { pageside: source("embed/src/index.ts"), "pageside-core": source("embed/src/core.ts") };
export const scripts = Object.keys(entries);

/** Options for esbuild; the result has an output file for each part. */
export const bundleOptions = (outdir, script = "pageside") => ({
  entryPoints: { [script]: entries[script] },
  outdir,
  bundle: true,
  minify: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  chunkNames: "assets/pageside-[name]-[hash]",
  define: { "process.env.NODE_ENV": '"production"' },
  alias: {
    "@pageside/core/calls": source("core/src/calls.ts"),
    "@pageside/core/mentions": source("core/src/mentions.ts"),
    "@pageside/core/messages": source("core/src/messages.ts"),
    "@pageside/core/server": source("core/src/server.ts"),
    "@pageside/core": source("core/src/index.ts"),
    "@pageside/react": source("react/src/index.ts"),
  },
  plugins: [styleSheet],
  legalComments: "none",
  logLevel: "warning",
});
