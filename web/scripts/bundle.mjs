// Builds a package as it is published: one file for each part that is loaded by itself. What
// several parts use is in the one that comes first, so that no bundler makes small files of it:
//   node scripts/bundle.mjs core
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { markedLexer } from "./marked.mjs";

/**
 * Says of the calls that make components that they do nothing else: in a file of many modules,
 * bundlers leave out what nobody imports statement by statement.
 */
const pureCalls = {
  name: "pure-calls",
  transform: (code) => ({ code: code.replace(CALL, " = /* @__PURE__ */ "), map: null }),
};
const CALL = / = (?=(?:memo|forwardRef|icon|lazyPart|createContext|\w+Part\.component)[<(])/g;

/**
 * What the core's later parts take from the client, and nothing more: esbuild puts what two parts
 * import into a file of its own, and the client's other modules into the application's.
 */
const BASE =
  /src\/(messages|base\/(subscribable|values)|protocol\/unreachable|thread\/user-message|tools\/(load|parts|schema))\.ts$/;

/**
 * The parts, in the order in which they are loaded: each has all that its module imports and none
 * before it has. `later` are modules that only the package itself imports.
 */
const PACKAGES = {
  core: {
    parts: {
      "base.part": BASE,
      "client.part": /src\/index\.ts$/,
      "thread.part": /src\/(thread\/ops|calls|events|mentions|server|sse)\.ts$/,
      "tools.part": /src\/(tools\/)?running\.ts$/,
      "advice.part": /thread\/advice\.ts$/,
    },
  },
  react: {
    plugins: [pureCalls, markedLexer()],
    parts: {
      "base.part": /(src\/context|hooks\/effects|labels\/useLabels|ui\/(Button|icons)|markdown\/url)\.tsx?$/,
      "hooks.part": /src\/index\.ts$/,
      "tray.part": /tray\/AssistantTray\.tsx$/,
      "cards.part": /ui\/KeyValues\.tsx$|labels\/messages\.ts$/,
      "markdown.part": /markdown\/index\.ts$/,
      "transcript.part": /tray\/transcript\/part\.ts$/,
      "composer.part": /tray\/composer\/part\.ts$/,
      "panels.part": /tray\/panels\/part\.ts$/,
      "questions.part": /tray\/approvals\/part\.ts$/,
      "asking.part": /hooks\/part\.ts$/,
      german: /labels\/german\.ts$/,
    },
  },
};

const [name] = process.argv.slice(2);
const { later = {}, plugins, parts } = PACKAGES[name];
const folder = fileURLToPath(new URL(`../packages/${name}`, import.meta.url));
const { exports } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
const source = (path) => `${folder}/src/${path}`;

/** `dist/markdown/index.js` → `["markdown/index", …]`: the types have the file's ending. */
const entries = Object.values(exports).flatMap(({ types }) => {
  const [, path] = /dist\/(.+)\.d\.ts$/.exec(types ?? "") ?? [];
  return path ? [[path, source(`${path}.ts`)]] : [];
});

const bundle = await rolldown({
  input: {
    ...Object.fromEntries(entries),
    ...Object.fromEntries(Object.entries(later).map(([to, path]) => [to, source(path)])),
  },
  external: /^(?!\.|\/|marked$)/,
  plugins,
  resolve: { extensionAlias: { ".js": [".ts", ".tsx", ".js"] } },
  transform: { target: "es2022" },
});
await bundle.write({
  dir: `${folder}/dist`,
  format: "esm",
  sourcemap: true,
  chunkFileNames: "[name].js",
  codeSplitting: { groups: Object.entries(parts).map(([name, test], index) => ({ name, test, priority: 99 - index })) },
});
await bundle.close();
