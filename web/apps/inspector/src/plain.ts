/** Answers as text: what a model marked up in Markdown, without the marks. */

/** Longer lines stay as they are: nobody reads them, and marks in them take long to find. */
const LONGEST = 10_000;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The text without the marks of Markdown. Code stays as it is; tables get spaces between cells. */
export function plainText(markdown: string): string {
  let fence = "";
  const lines = markdown.split("\n").flatMap((line) => {
    const mark = FENCE.exec(line)?.[1];
    if (fence ? mark?.startsWith(fence) : mark) {
      fence = fence ? "" : mark!;
      return [];
    }
    return fence ? [line] : blockOf(line);
  });
  return lines.join("\n");
}

function blockOf(line: string): string[] {
  if (line.length > LONGEST) return [line];
  if (/^ {0,3}([-*_])( *\1){2,} *$/.test(line)) return [""]; // a rule
  if (/^ *\|?( *:?-+:? *\|)+( *:?-+:? *)?$/.test(line)) return []; // between a table's head and its rows
  const text = line
    .replace(/^ {0,3}#{1,6} +/, "")
    .replace(/^(\s*)[-*+] (\[[ xX]\] )?/, "$1• ")
    .replace(/^( {0,3}> ?)+/, "");
  return [inlineOf(/^ *\|.*\| *$/.test(text) ? cellsOf(text).join("   ") : text)];
}

/** The cells of a row of a table, in Markdown. */
const cellsOf = (row: string) =>
  row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/** What is between backticks is not read as marks. */
const inlineOf = (text: string) =>
  text
    .split(/(`+[^`]+`+)/)
    .map((part, index) => (index % 2 === 1 ? part.replace(/^`+|`+$/g, "") : unmarked(part)))
    .join("");

const unmarked = (text: string) =>
  text
    .replace(/!?\[([^\]]*)\]\(([^()\s]*)[^()]*\)/g, (_, label: string, url: string) =>
      label && url && label !== url ? `${label} (${url})` : label || url,
    )
    .replace(/(\*\*|__)(?=\S)(.+?)(?<=\S)\1/g, "$2")
    .replace(/(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])/g, "$1")
    .replace(/(?<!\w)_(?=\S)([^_]+?)(?<=\S)_(?!\w)/g, "$1")
    .replace(/~~(.+?)~~/g, "$1")
    .replace(/\\([\\`*_{}[\]()#+\-.!|~>])/g, "$1");
