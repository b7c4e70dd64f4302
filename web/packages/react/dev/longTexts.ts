/** Answers that are made to stop the page. For what measures frames, and for tests. */
import { floods } from "./floods.js";

const KB = 1024;
const MB = KB * KB;

const nested = (depth: number) =>
  Array.from({ length: depth }, (_, index) => `${"  ".repeat(index)}- item ${index}\n`).join("");

const mixed = (size: number): string => {
  const kinds = [
    "paragraphs",
    "a table of 4",
    "- a\\n",
    "`a` ",
    "[a](http://x/)",
    "http://a.example/ ",
    "> a\\n",
    "``` in a list",
  ];
  const chapters = kinds.map((kind, index) => `## Chapter ${index}\n\n${floods[kind]!(16 * KB)}\n\n`).join("");
  return chapters.repeat(Math.ceil(size / chapters.length)).slice(0, size);
};

export const longTexts: Readonly<Record<string, string>> = {
  "open links": floods["[a](http://x/"]!(MB),
  links: floods["[a](http://x/)"]!(MB),
  "code spans": floods["`a` "]!(MB),
  "open code spans": floods["a` "]!(MB),
  addresses: floods["http://a.example/ "]!(MB),
  emphasis: floods["*_a"]!(MB),
  "bold words": floods["**a** "]!(MB),
  "a table of 88 KB": floods["a table of 4"]!(88 * KB),
  "a table of 1 MB": floods["a table of 4"]!(MB),
  "a wide table": floods["a table of 300"]!(MB),
  "lists, 1,000 deep": nested(1_000),
  "a list of 1 MB": floods["- a\\n"]!(MB),
  "a word of 1.5 MB": floods["no space"]!(1.5 * MB),
  "500 fences": "```js\nconst answer = call(42);\nreturn answer;\n```\n\n".repeat(500),
  "a fence of 1 MB": floods["``` open"]!(MB),
  paragraphs: floods.paragraphs!(MB),
  prose: floods.words!(MB),
  mixed: mixed(MB),
};
