import { isTooMuch } from "./budget.js";

/**
 * Completes the end of a markdown text that is still being written, so that its reader never sees
 * half of a markup: open emphasis and code spans are closed, half links show only their text, half
 * images nothing, a table's head is a table before its second line came, and a line that could
 * still become anything (`-`, `##`, `1`) waits.
 *
 * It changes the end of the text only, and only for the eye: the full text is read when the stream
 * ends.
 */
export function repair(source: string): string {
  if (endsInsideFence(source)) return repairCode(source);
  const table = tableHead(source);
  if (table) return closeInline(table.text) + table.suffix;
  return closeInline(withoutLastLine(source, UNDECIDED));
}

/**
 * Completes a text that ends inside a fence: its last line may be half of the mark that ends it.
 */
export function repairCode(source: string): string {
  return withoutLastLine(source, /^[ \t>]*(?:`+|~+)[ \t]*$/);
}

function withoutLastLine(source: string, pattern: RegExp): string {
  const end = source.lastIndexOf("\n");
  const line = source.slice(end + 1);
  return line.length < 100 && pattern.test(line) ? source.slice(0, Math.max(end, 0)) : source;
}

/** A last line of which only markers are known, behind any quote, list or heading marks. */
const UNDECIDED = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+)*(?:[-*+_=#~`|:>]+|\d{1,9}[.)]?|\[[ xX]?\]?)?[ \t]*$/;

const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})(.*)$/;

function endsInsideFence(source: string): boolean {
  if (!source.includes("```") && !source.includes("~~~")) return false;
  let open: string | undefined;
  for (const line of source.split("\n")) {
    const [, marks, rest] = FENCE.exec(line) ?? [];
    if (marks === undefined) continue;
    if (open === undefined) open = marks[0] === "`" && rest!.includes("`") ? undefined : marks;
    else if (marks.startsWith(open) && rest!.trim() === "") open = undefined;
  }
  return open !== undefined;
}

// ---------------------------------------------------------------- tables

/** The text up to the last cell of a table's head, and what makes it a table. */
interface TableHead {
  text: string;
  suffix: string;
}

const DELIMITER = /^\|?(?:[ \t]*:?-+:?[ \t]*(?:\||$))+[ \t]*$/;
const DELIMITER_PART = /^[ \t]*[|:-][ \t|:-]*$/;

function tableHead(source: string): TableHead | undefined {
  const lines = source.split("\n");
  const last = lines.pop()!;
  const above = lines.at(-1) ?? "";
  if (isRow(last)) return isRow(above) ? delimiterRow(above, last, lines) : headRow(source, last);
  if (last.trim() === "" && isRow(above) && !isRow(lines.at(-2) ?? "")) return headRow(source.trimEnd(), above);
  // A head without outer pipes shows itself only by the line below.
  if (DELIMITER_PART.test(last) && hasPipe(above) && !isRow(above)) return delimiterRow(above, last, lines);
  return undefined;
}

/** Only the head's own line is there. */
function headRow(text: string, line: string): TableHead | undefined {
  const cells = countCells(line);
  if (cells === 0 || cells > MAX_CELLS) return undefined;
  return { text, suffix: `${endsCell(line) ? "" : " |"}\n${delimiter(line, cells)}` };
}

/** The line under the head has begun. */
function delimiterRow(head: string, part: string, lines: string[]): TableHead | undefined {
  if (!DELIMITER_PART.test(withoutQuote(part)) || isRow(lines.at(-2) ?? "")) return undefined;
  const cells = countCells(head);
  if (cells === 0 || cells > MAX_CELLS) return undefined;
  const whole = countCells(part) === cells && DELIMITER.test(withoutQuote(part));
  return { text: lines.join("\n"), suffix: `\n${whole ? part : delimiter(head, cells)}` };
}

const withoutQuote = (line: string) => line.replace(/^[ \t>]*/, "");
const isRow = (line: string) => withoutQuote(line).startsWith("|");
const hasPipe = (line: string) => /(?:^|[^\\])\|/.test(line);
const endsCell = (line: string) => /(?:^|[^\\])\|[ \t]*$/.test(line);

/** Wider tables are not completed. */
const MAX_CELLS = 200;

function delimiter(head: string, cells: number): string {
  const indent = /^[ \t>]*/.exec(head)![0];
  return `${indent}|${" --- |".repeat(cells)}`;
}

function countCells(line: string): number {
  const inner = withoutQuote(line)
    .trim()
    .replace(/^\|/, "")
    .replace(/(^|[^\\])\|$/, "$1");
  return inner.trim() === "" ? 0 : inner.split(/(?<!\\)\|/).length;
}

// ---------------------------------------------------------------- inline markup

const BLOCK_MARK = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|#{1,6}[ \t]+)*/;

/**
 * Inline markup ends with its paragraph, item, heading or cell: only the last of these needs
 * closing.
 */
function closeInline(source: string): string {
  const start = lastSegment(source);
  // Its markup is not parsed either.
  if (isTooMuch(source.slice(start))) return source;
  return source.slice(0, start) + new InlineCloser(source.slice(start)).close();
}

function lastSegment(source: string): number {
  let start = 0;
  let position = 0;
  let afterHeading = false;
  for (const line of source.split("\n")) {
    const mark = BLOCK_MARK.exec(line)![0];
    if (line.trim() === "") start = position;
    else if (isRow(line)) start = position + lastCellStart(line);
    else if (afterHeading || /[-*+.)#]/.test(mark)) start = position + mark.length;
    afterHeading = mark.includes("#");
    position += line.length + 1;
  }
  return start;
}

function lastCellStart(row: string): number {
  let at = row.lastIndexOf("|");
  while (at > 0 && row[at - 1] === "\\") at = row.lastIndexOf("|", at - 1);
  return at + 1;
}

/**
 * The most open marks; beyond that the oldest stay as written, because closing thousands would be
 * slow.
 */
const MAX_OPEN = 12;

interface OpenMark {
  char: string;
  length: number;
  /** Where its content begins in the output. */
  content: number;
}

/** Walks one segment and remembers what is open. Follows CommonMark 6.2 as far as is visible. */
class InlineCloser {
  readonly #text: string;
  readonly #brackets: ReadonlyMap<number, number>;
  #at = 0;
  #out = "";
  #open: OpenMark[] = [];

  constructor(text: string) {
    this.#text = text;
    this.#brackets = matchBrackets(text);
  }

  close(): string {
    while (this.#at < this.#text.length) this.#step();
    while (this.#open.length > 0) this.#closeMark(this.#open.pop()!);
    return this.#out;
  }

  #step() {
    const char = this.#text[this.#at]!;
    if (char === "\\") this.#escape();
    else if (char === "`") this.#codeSpan();
    else if (char === "[" || (char === "!" && this.#text[this.#at + 1] === "[")) this.#bracket(char === "!");
    else if (char === "*" || char === "_" || char === "~") this.#mark(char);
    else if (char === "&" && /^&#?\w{0,8}$/.test(this.#text.slice(this.#at, this.#at + 11))) this.#drop();
    else if (char === "<" && /^<(?:https?:|mailto:)[^\s<>]*$/i.test(this.#text.slice(this.#at))) this.#at++;
    else this.#copy(1);
  }

  #copy(length: number) {
    this.#out += this.#text.slice(this.#at, this.#at + length);
    this.#at += length;
  }

  #drop() {
    this.#at = this.#text.length;
  }

  #escape() {
    if (this.#at + 1 < this.#text.length) this.#copy(2);
    else this.#drop();
  }

  #codeSpan() {
    const marks = runAt(this.#text, this.#at);
    const end = closingTicks(this.#text, this.#at + marks.length, marks);
    if (end >= 0) return this.#copy(end - this.#at);
    const content = this.#text.slice(this.#at + marks.length).replace(/`+$/, "");
    if (content.trim() !== "") this.#out += marks + content + marks;
    this.#drop();
  }

  #bracket(image: boolean) {
    const from = this.#at + (image ? 2 : 1);
    const end = this.#brackets.get(from - 1);
    if (end === undefined) return image ? this.#drop() : this.#skip();
    const whole = this.#endOfTarget(end + 1);
    if (whole === undefined) return this.#copy(from - this.#at);
    if (whole >= 0) return this.#copy(whole - this.#at);
    if (!image) this.#out += this.#text.slice(from, end);
    this.#drop();
  }

  /** Leaves out one character. */
  #skip() {
    this.#at++;
  }

  /**
   * The index after a link's target, -1 when it is not whole yet, `undefined` when there is none.
   */
  #endOfTarget(at: number): number | undefined {
    const next = this.#text[at];
    if (next === undefined) return -1;
    if (next === "(") return closingParenthesis(this.#text, at + 1);
    return next === "[" ? (this.#brackets.get(at) ?? -2) + 1 : undefined;
  }

  #mark(char: string) {
    const run = runAt(this.#text, this.#at);
    const before = this.#text[this.#at - 1] ?? "\n";
    const after = this.#text[this.#at + run.length];
    if (char === "~" && run.length !== 2) return after === undefined ? this.#drop() : this.#copy(run.length);
    if (after === undefined) return this.#markAtEnd(char, run, before);
    const { opens, closes } = flanks(char, before, after);
    const rest = closes ? this.#closeWith(char, run.length) : run.length;
    this.#copy(run.length);
    if (rest > 0 && opens) this.#push({ char, length: rest, content: this.#out.length });
  }

  #push(mark: OpenMark) {
    if (this.#open.length === MAX_OPEN) this.#open.shift();
    this.#open.push(mark);
  }

  /** Of a run at the very end, more may follow: it closes when it is whole, else it waits. */
  #markAtEnd(char: string, run: string, before: string) {
    const open = this.#open.findLast((mark) => mark.char === char);
    const closes = open !== undefined && !isSpace(before);
    if (closes && run.length >= open.length) {
      this.#closeWith(char, run.length);
      return this.#copy(run.length);
    }
    if (!closes && char === "_" && isWord(before)) return this.#copy(run.length);
    this.#drop();
  }

  /** Closes the open marks a run can close; returns how much of the run is left. */
  #closeWith(char: string, length: number): number {
    let left = length;
    while (left > 0) {
      const index = this.#open.findLastIndex((mark) => mark.char === char);
      if (index < 0) break;
      const mark = this.#open[index]!;
      const used = Math.min(mark.length, left);
      left -= used;
      mark.length -= used;
      this.#open.length = mark.length === 0 ? index : index + 1;
    }
    return left;
  }

  #closeMark({ char, length, content }: OpenMark) {
    const empty = this.#out.slice(content).trim() === "";
    this.#out = empty ? this.#out.slice(0, content - length) : this.#out.trimEnd() + char.repeat(length);
  }
}

function runAt(text: string, at: number): string {
  let end = at;
  while (text[end] === text[at]) end++;
  return text.slice(at, end);
}

/** The index after the run of backticks that closes a code span, or -1. */
function closingTicks(text: string, from: number, marks: string): number {
  for (let at = text.indexOf("`", from); at >= 0; at = text.indexOf("`", at)) {
    const run = runAt(text, at);
    at += run.length;
    if (run === marks) return at;
  }
  return -1;
}

/** The index of the closing bracket, for every opening one that has one. */
function matchBrackets(text: string): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (char === "[") open.push(at);
    else if (char === "]" && open.length > 0) pairs.set(open.pop()!, at);
  }
  return pairs;
}

/** The index after the `)` that closes a link target begun before `from`, or -1. */
function closingParenthesis(text: string, from: number): number {
  let depth = 1;
  let quote: string | undefined;
  for (let at = from; at < text.length; at++) {
    const char = text[at]!;
    if (char === "\\") at++;
    else if (quote) quote = char === quote ? undefined : quote;
    else if ((char === '"' || char === "'") && isSpace(text[at - 1]!)) quote = char;
    else if (char === "(") depth++;
    else if (char === ")" && --depth === 0) return at + 1;
  }
  return -1;
}

const isSpace = (char: string) => /\s/.test(char);
const isWord = (char: string) => /[\p{L}\p{N}]/u.test(char);
const isPunctuation = (char: string) => /[\p{P}\p{S}]/u.test(char);

/** Left- and right-flanking delimiter runs (CommonMark 6.2). */
function flanks(char: string, before: string, after: string): { opens: boolean; closes: boolean } {
  const left = !isSpace(after) && (!isPunctuation(after) || isSpace(before) || isPunctuation(before));
  const right = !isSpace(before) && (!isPunctuation(before) || isSpace(after) || isPunctuation(after));
  if (char !== "_") return { opens: left, closes: right };
  return { opens: left && (!right || isPunctuation(before)), closes: right && (!left || isPunctuation(after)) };
}
