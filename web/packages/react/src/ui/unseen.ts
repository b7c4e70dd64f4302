/**
 * Makes visible what a text hides from its reader: characters without a shape, those that change
 * the order of others, spaces that are no plain space, and empty runs that push the rest out of
 * view.
 */

/** A part of a text: visible text, or something in it that would not be seen. */
export type Part = string | Unseen;

/** Invisible characters. */
export interface Unseen {
  kind: "character" | "marks" | "lines" | "spaces";
  /** Of `character` its code point, as "U+200B"; else how many there are. */
  what: string | number;
}

/** So many empty lines, and spaces, in a row are a pause; more are told in a number. */
const MAX_EMPTY_LINES = 2;
const MAX_SPACES = 16;
/** How many marks may stand on one letter. More would cover the text around it. */
const MAX_MARKS = 4;

const PICTURE = String.raw`\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})*`;
/** Scripts whose letters join, or not, as an invisible character between them says. */
const JOINING = ["Arabic", "Syriac", "Devanagari", "Bengali", "Sinhala", "Malayalam"];

/** Has invisible characters for good reasons: one picture of several, a letter that joins. */
const HONEST = [
  String.raw`${PICTURE}(?:\u200d${PICTURE})*`,
  String.raw`[\d#*]\ufe0f\u20e3`,
  String.raw`[${JOINING.map((script) => `\\p{Script=${script}}`).join("")}][\u200c\u200d](?=\p{L})`,
].join("|");
const LINES = String.raw`\n(?:[ \t]*\n){${MAX_EMPTY_LINES + 1},}`;
const SPACES = String.raw`[ \t]{${MAX_SPACES + 1},}`;
const MARKS = String.raw`\p{M}{${MAX_MARKS + 1},}`;
const HIDDEN = String.raw`(?![ \n\t])[\p{DI}\p{Cc}\p{Zs}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}\ufff9-\ufffb\u2800]`;

const FIND = new RegExp(`(${HONEST})|(${LINES})|(${SPACES})|(${HIDDEN})|(${MARKS})`, "gu");

/** Cuts a text where it hides something. */
export function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  const add = (part: string) => {
    if (typeof parts.at(-1) === "string") parts.push(`${parts.pop() as string}${part}`);
    else if (part !== "") parts.push(part);
  };
  for (const match of text.matchAll(FIND)) {
    const [found, honest, lines, spaces, hidden] = match;
    add(text.slice(end, match.index));
    end = match.index + found.length;
    if (honest) add(found);
    else if (lines) parts.push("\n", { kind: "lines", what: lines.split("\n").length - 2 }, "\n");
    else if (spaces) parts.push({ kind: "spaces", what: spaces.length });
    else if (hidden) parts.push({ kind: "character", what: nameOf(found) });
    else {
      add(found.slice(0, MAX_MARKS));
      parts.push({ kind: "marks", what: found.length - MAX_MARKS });
    }
  }
  add(text.slice(end));
  return parts;
}

/** Reports whether a text has invisible characters, or too many marks on a letter. */
export const hidesSomething = (text: string): boolean => partsOf(text).some((part) => typeof part !== "string");

const nameOf = (character: string) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
