/** Mentions: a label of the page with an `@` before it, in the user's text. */

/** A mention in a text: of which entry, and where it stands, with its `@`. */
export interface Mention {
  id: string;
  from: number;
  to: number;
}

/**
 * Fenced code, code between backticks, backticks that nothing closes; they mention nothing. Behind
 * these, a mention: not part of an e-mail address, a path or a longer word. Scripts without blanks
 * between words have letters of the kind Lo.
 *
 * The server has the same rules in `page/mention.go`; `page/testdata/mentions.json` has the cases.
 */
const pattern = (labels: string) =>
  new RegExp(
    "(?:^|\\n) {0,3}(```+|~~~+)[^]*?(?:\\n {0,3}\\1[`~]*|$)" +
      "|(`+)(?!`)[^]*?[^`]\\2(?!`)|`+" +
      `|(^|\\p{Lo}|[^\\p{L}\\p{N}\\p{M}_@.\\-+/\\\\%=&#~\`])@(${labels})` +
      "(?![-./\\\\@][\\p{L}\\p{N}\\p{M}_]|[\\p{Lu}\\p{Ll}\\p{Lt}\\p{Lm}\\p{N}\\p{M}_])",
    "giu",
  );

/**
 * Finds what a text mentions: labels of entries behind an `@`, in any case, the longest that fits.
 * An entry may be found several times.
 */
export function findMentions(text: string, entries: readonly { id: string; label?: string }[]): Mention[] {
  const named = entries.map(({ id, label = "" }) => ({ id, name: nameOf(label) })).filter(({ name }) => name);
  if (named.length === 0 || !text.includes("@")) return [];
  const names = [...new Set(named.map(({ name }) => name))].sort((a, b) => b.length - a.length);
  const labels = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replaceAll(" ", "\\s+")).join("|");
  return [...text.matchAll(pattern(labels))].flatMap(({ 0: all, 3: before, 4: label, index }) => {
    if (label === undefined) return [];
    const name = nameOf(label);
    const place = { from: index + before!.length, to: index + all.length };
    return named.filter((each) => each.name === name).map(({ id }) => ({ id, ...place }));
  });
}

/** A label without its `@`, in small letters, with single blanks. */
const nameOf = (label: string) => label.trim().replace(/^@/, "").trim().replace(/\s+/g, " ").toLowerCase();
