// Measures what an application downloads: minified ES modules, React apart, each file compressed by gzip -9.
// Prints a table and fails where a limit is passed. "lazy" files are those loaded only when they are needed.
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { bundleOptions as inspectorOptions } from "../apps/inspector/scripts/bundle.mjs";
import { bundleOptions } from "../packages/embed/scripts/bundle.mjs";

const KB = 1024;
const LAZY_LIMIT = 25;
const source = (path) => fileURLToPath(new URL(`../packages/${path}`, import.meta.url));

const HOOKS = [
  "AssistantPlugin",
  "AssistantProvider",
  "useAssistant",
  "useAssistantAction",
  "useAssistantActions",
  "useAssistantAdditionalContext",
  "useAssistantPrompts",
  "useAssistantSnapshot",
  "useAssistantState",
  "useAssistantSuggestions",
  "useDynamicContext",
  "usePageContext",
  "usePayload",
  "usePlugin",
  "useSuggestedAction",
  "useSuggestions",
  "useTextSelection",
  "useToolRenderer",
];

const entries = [
  { name: "core", limit: 8, code: `export * from "@pageside/core"` },
  { name: "one hook (useAssistantAction)", limit: 6, code: `export { useAssistantAction } from "@pageside/react"` },
  {
    name: "provider and all hooks, with core",
    limit: 12,
    code: `export { ${HOOKS.join(", ")} } from "@pageside/react"`,
  },
];
if (existsSync(source("react/src/tray/index.ts"))) {
  const code = `export { ${HOOKS.join(", ")}, AssistantTray } from "@pageside/react"`;
  entries.push({ name: "tray with everything", limit: 45, code });
}
if (existsSync(source("react/src/styles/tray.css"))) {
  entries.push({ name: "tray.css", limit: 8, code: `@import "@pageside/react/tray.css";`, loader: "css" });
}
entries.push({ name: "pageside.js, with React", limit: 130, options: bundleOptions("/size") });
entries.push({ name: "the inspector, with its styles", limit: 15, options: inspectorOptions("/size") });

const gzip = (contents) => gzipSync(contents, { level: 9 }).length;

/** The output files of one entry: those loaded at once, and the others. */
async function bundle({ code, loader = "js", options }) {
  const own = {
    stdin: { contents: code, loader, resolveDir: source("react"), sourcefile: "entry" },
    bundle: true,
    minify: true,
    splitting: loader === "js",
    format: "esm",
    target: "es2022",
    outdir: "/size",
    external: ["react", "react-dom", "react/jsx-runtime"],
    define: { "process.env.NODE_ENV": '"production"' },
    alias: {
      "@pageside/core": source("core/src/index.ts"),
      "@pageside/react/tray.css": source("react/src/styles/tray.css"),
      "@pageside/react": source("react/src/index.ts"),
    },
  };
  const { outputFiles, metafile } = await build({ ...(options ?? own), write: false, metafile: true });
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]);
  const imports = new Map(outputs.map(([name, output]) => [name, output.imports]));
  const eager = new Set();
  const visit = (name) => {
    if (eager.has(name) || !files.has(name)) return;
    eager.add(name);
    for (const { path, kind } of imports.get(name)) if (kind !== "dynamic-import") visit(basename(path));
  };
  // A chunk that is imported lazily has an entryPoint as well: its own file.
  visit(outputs.find(([, { entryPoint }]) => /entry$|embed\/src\/index\.ts$|inspector\/src\/main\.ts$/.test(entryPoint ?? ""))[0]);
  return { files, eager };
}

const rows = [];
const lazy = new Map();
for (const entry of entries) {
  const { files, eager } = await bundle(entry);
  const bytes = [...eager].reduce((sum, name) => sum + gzip(files.get(name)), 0);
  const raw = [...eager].reduce((sum, name) => sum + files.get(name).length, 0);
  rows.push({ name: entry.name, bytes, raw, limit: entry.limit });
  for (const [name, contents] of files) {
    const part = `lazy: ${name.replace(/^pageside-/, "").replace(/-[A-Z0-9]{8}(\.\w+)$/, "$1")}`;
    if (!eager.has(name))
      lazy.set(part, { name: part, bytes: gzip(contents), raw: contents.length, limit: LAZY_LIMIT });
  }
}

const show = (bytes) => (bytes / KB).toFixed(2).padStart(7);
let failed = false;
console.log(`${"entry".padEnd(38)} gzip kB   limit  raw kB`);
for (const { name, bytes, raw, limit } of [...rows, ...lazy.values()]) {
  const over = bytes > limit * KB;
  failed ||= over;
  console.log(`${name.padEnd(38)} ${show(bytes)} ${String(limit).padStart(7)} ${show(raw)}${over ? "  TOO BIG" : ""}`);
}
process.exitCode = failed ? 1 : 0;
