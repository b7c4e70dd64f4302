// Measures what an application downloads of the packages as they are published: minified ES
// modules, React apart, each file compressed by gzip -9. To be run after `npm run build:packages`.
// Prints a table and fails where a limit is passed. "lazy" files are those loaded only when they
// are needed.
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { rolldown } from "rolldown";
import { bundleOptions as inspectorOptions } from "../apps/inspector/scripts/bundle.mjs";
import { bundleOptions } from "../packages/embed/scripts/bundle.mjs";

const KB = 1024;
/** The transcript with markdown is the largest part. */
const LAZY_LIMIT = 40;
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
  "useMessage",
  "useModelChoice",
  "usePageContext",
  "usePayload",
  "usePlugin",
  "useQuestions",
  "useSuggestedAction",
  "useSuggestions",
  "useTextSelection",
  "useToolRenderer",
];

const TRAY = `export { AssistantProvider, useAssistantAction, useDynamicContext, usePageContext } from "@pageside/react";
  export { AssistantTray } from "@pageside/react/tray"`;

/** What the tray has loaded when the first answer is complete, beside what it begins with. */
const FIRST_ANSWER = ["core/dist/thread.part.js", "react/dist/transcript.part.js", "react/dist/composer.part.js"];

/** What an application imports, and what each bundler may make of it in kB. */
const imported = [
  { name: "core", limit: 8, code: `export * from "@pageside/core"` },
  {
    name: "provider and two hooks",
    limit: 8.5,
    code: `export { AssistantProvider, useAssistantAction, useDynamicContext } from "@pageside/react"`,
  },
  { name: "provider and all hooks", limit: 12.5, code: `export { ${HOOKS.join(", ")} } from "@pageside/react"` },
  { name: "provider, three hooks and the tray", limit: 27.5, code: TRAY },
  { name: "the same, by the first answer", limit: 100, code: TRAY, loads: FIRST_ANSWER },
  { name: "markdown", limit: 27, code: `export { Markdown } from "@pageside/react/markdown"` },
  { name: "charts", limit: 6, code: `export { PayloadChart } from "@pageside/react/charts"` },
];
const entries = imported.flatMap((entry) =>
  Object.entries({ rolldown: bundleWithRolldown, esbuild: bundleWithEsbuild }).map(([name, bundle]) => ({
    ...entry,
    name: `${entry.name}, ${name}`,
    bundle,
  })),
);
entries.push({ name: "tray.css", limit: 9, code: `@import "@pageside/react/tray.css";`, loader: "css" });
entries.push({ name: "pageside.js, with React", limit: 116, options: bundleOptions("/size") });
// It reads Markdown as the tray does.
entries.push({ name: "the inspector, with its styles", limit: 36, options: inspectorOptions("/size") });

const gzip = (contents) => gzipSync(contents, { level: 9 }).length;

const EXTERNAL = ["react", "react-dom", "react/jsx-runtime"];

/** As Vite bundles an application. */
async function bundleWithRolldown({ code, loads }) {
  const virtual = {
    name: "entry",
    resolveId: (id) => (id === "virtual:entry" ? id : undefined),
    load: (id) => (id === "virtual:entry" ? code : undefined),
  };
  const bundler = await rolldown({
    input: "virtual:entry",
    external: EXTERNAL,
    preserveEntrySignatures: "allow-extension", // as in an application, whose entry exports nothing
    plugins: [virtual],
    transform: { target: "es2022", define: { "process.env.NODE_ENV": '"production"' } },
    logLevel: "silent",
  });
  const { output } = await bundler.generate({ format: "esm", minify: true, hashCharacters: "hex" });
  const chunks = output.filter(({ type }) => type === "chunk");
  const files = new Map(chunks.map(({ fileName, code }) => [basename(fileName), Buffer.from(code)]));
  const imports = new Map(chunks.map(({ fileName, imports }) => [basename(fileName), imports.map((path) => basename(path))])); // prettier-ignore
  const first = ({ isEntry, facadeModuleId }) => isEntry || isOneOf(loads, facadeModuleId);
  return { files, eager: reach(chunks.filter(first).map(({ fileName }) => basename(fileName)), imports) }; // prettier-ignore
}

/** As applications are bundled that use esbuild, and what we build with it. */
async function bundleWithEsbuild({ code, loader, options, loads }) {
  const own = {
    stdin: { contents: code, loader, resolveDir: source("react"), sourcefile: "entry" },
    bundle: true,
    minify: true,
    target: "es2022",
    outdir: "/size",
    splitting: true,
    format: "esm",
    external: EXTERNAL,
    tsconfigRaw: {}, // or the sources are taken
  };
  const { outputFiles, metafile } = await build({ ...(options ?? own), write: false, metafile: true });
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]);
  const imports = new Map(
    outputs.map(([name, output]) => [
      name,
      output.imports.filter(({ kind }) => kind !== "dynamic-import").map(({ path }) => basename(path)),
    ]),
  );
  // A chunk that is imported lazily has an entryPoint as well: its own file.
  const isFirst = ([, { entryPoint }]) =>
    /entry$|embed\/src\/index\.ts$|inspector\/src\/main\.ts$/.test(entryPoint ?? "") || isOneOf(loads, entryPoint);
  return { files, eager: reach(outputs.filter(isFirst).map(([name]) => name), imports) }; // prettier-ignore
}

/** Reports whether a path ends as one of those does. */
const isOneOf = (ends = [], path) => ends.some((end) => path?.endsWith(end));

/** What is loaded with files: they, and what they import. */
function reach(first, imports) {
  const reached = new Set();
  const visit = (name) => {
    if (reached.has(name) || !imports.has(name)) return;
    reached.add(name);
    imports.get(name).forEach(visit);
  };
  first.forEach(visit);
  return reached;
}

const rows = [];
const lazy = new Map();
for (const entry of entries) {
  const { files, eager } = await (entry.bundle ?? bundleWithEsbuild)(entry);
  const bytes = [...eager].reduce((sum, name) => sum + gzip(files.get(name)), 0);
  const raw = [...eager].reduce((sum, name) => sum + files.get(name).length, 0);
  rows.push({ name: entry.name, bytes, raw, limit: entry.limit });
  for (const [name, contents] of files) {
    const part = `lazy: ${name.replace(/^pageside-/, "").replace(/-[A-Z0-9a-f]{8}(\.\w+)$/, "$1")}`;
    const bytes = gzip(contents);
    // Files of several entries have the same name: the largest counts.
    if (!eager.has(name) && bytes >= (lazy.get(part)?.bytes ?? 0))
      lazy.set(part, { name: part, bytes, raw: contents.length, limit: LAZY_LIMIT });
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
