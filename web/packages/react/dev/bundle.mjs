// Bundles a page of this folder into one script and one style sheet, for Chromium.
import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import "../../../scripts/panel-styles.mjs";

const file = (path) => fileURLToPath(new URL(path, import.meta.url));

export async function bundle(entry) {
  const { outputFiles } = await build({
    entryPoints: [file(entry)],
    outdir: "/bundle",
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    jsx: "automatic",
    logLevel: "error",
    alias: {
      "@pageside/core/calls": file("../../core/src/calls.ts"),
      "@pageside/core/mentions": file("../../core/src/mentions.ts"),
      "@pageside/core/messages": file("../../core/src/messages.ts"),
      "@pageside/core/server": file("../../core/src/server.ts"),
      "@pageside/core": file("../../core/src/index.ts"),
    },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const textOf = (type) => outputFiles.find(({ path }) => path.endsWith(type))?.text ?? "";
  return { js: textOf(".js"), css: textOf(".css") };
}
