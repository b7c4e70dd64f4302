/** Reads style sheets: enough of CSS for what we write. For tests. */

interface Rule {
  prelude: string;
  body: string;
}

/** The rules of a style sheet, one level deep; enough of CSS for what we write. */
function* rules(css: string): Generator<Rule> {
  const text = css.replace(/\/\*[\s\S]*?\*\//g, "");
  let depth = 0;
  let from = 0;
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "{" && depth++ === 0) open = at;
    else if (text[at] === ";" && depth === 0) from = at + 1;
    else if (text[at] === "}" && --depth === 0) {
      yield { prelude: text.slice(from, open).trim(), body: text.slice(open + 1, at) };
      from = at + 1;
    }
  }
}

/** Every style rule, with the at-rules it stands in. */
export function* styleRules(
  css: string,
  inside: string[] = [],
): Generator<{ selectors: string[]; body: string; inside: string[] }> {
  for (const { prelude, body } of rules(css)) {
    if (/^@(?:layer|media|supports|container)/.test(prelude)) yield* styleRules(body, [...inside, prelude]);
    else if (prelude.startsWith("@")) yield { selectors: [], body, inside: [...inside, prelude] };
    else yield { selectors: splitSelectors(prelude), body, inside };
  }
}

/** At the commas that are not in parentheses. */
export function splitSelectors(list: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const char of list) {
    if (char === "(") depth++;
    if (char === ")") depth--;
    if (char === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts.map((part) => part.trim());
}
