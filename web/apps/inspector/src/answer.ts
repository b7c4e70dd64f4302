/** An answer as it is read: its tables as tables, all else as text without the marks of Markdown. */
import { h } from "./dom.ts";
import { cellsOf, plainText } from "./plain.ts";

/** A head, what is between it and the rows, and the rows. */
const TABLE = /(^ *\|.*\| *\n *\|(?: *:?-+:? *\|)+ *$(?:\n *\|.*\| *$)*)/m;

/** The parts of an answer, in their order. */
export function answerOf(markdown: string): HTMLElement[] {
  return markdown
    .split(TABLE)
    .filter((part) => part.trim() !== "")
    .map((part) => (TABLE.test(part) ? tableOf(part) : h("p", { class: "prose" }, plainText(part).trim())));
}

function tableOf(markdown: string): HTMLElement {
  const [head = [], marks = [], ...rows] = markdown.split("\n").map(cellsOf);
  const rowOf = (tag: string, cells: readonly string[]) =>
    h(
      "tr",
      {},
      cells.map((cell, column) => h(tag, { "data-end": marks[column]?.endsWith("-:") }, plainText(cell))),
    );
  return h(
    "table",
    { class: "answer" },
    rowOf("th", head),
    rows.map((cells) => rowOf("td", cells)),
  );
}
