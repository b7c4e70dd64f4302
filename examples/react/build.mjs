// Builds the page into dist/. An application outside this repository has the packages from npm, and
// needs no alias.
import { cp } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const web = createRequire(new URL("../../web/package.json", import.meta.url));
const { build } = web("esbuild");

await build({
  entryPoints: [here("main.tsx")],
  outdir: here("dist"),
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  minify: true,
  nodePaths: [here("../../web/node_modules")],
  define: { "process.env.NODE_ENV": '"production"' },
});
await cp(here("index.html"), here("dist/index.html"));
