// What is published of marked: the part that cuts texts into tokens. Its one file cannot be taken
// apart by a bundler, so this takes the sources that its source map has, without the fifth that
// makes HTML.
import { copyFileSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

const marked = fileURLToPath(new URL("../node_modules/marked", import.meta.url));
/** Where the sources seem to be. */
const ROOM = "/marked/src/";
const ENTRY = `export { _Lexer as Lexer } from "./Lexer.ts"; export { _Tokenizer as Tokenizer } from "./Tokenizer.ts";`;

/** Takes `Lexer` and `Tokenizer` of marked into a bundle, and its licence beside it. */
export function markedLexer() {
  const { sources, sourcesContent } = JSON.parse(readFileSync(`${marked}/lib/marked.esm.js.map`, "utf8"));
  const files = new Map(sources.map((path, index) => [basename(path), sourcesContent[index]]));
  files.set("entry.ts", ENTRY);
  return {
    name: "marked-lexer",
    resolveId(id, importer) {
      if (id === "marked") return `${ROOM}entry.ts`;
      return importer?.startsWith(ROOM) ? ROOM + basename(id) : undefined;
    },
    load: (id) => (id.startsWith(ROOM) ? files.get(basename(id)) : undefined),
    writeBundle: ({ dir }) => copyFileSync(`${marked}/LICENSE`, `${dir}/marked.LICENSE`),
  };
}
