const TOKENS = /"[^"\\]*(?:\\[^][^"\\]*)*"?|[{}[\],:]|[^\s{}[\],:"]+/g;

/** An unfinished member has at most four tokens, with the comma before it: `, "key" : tru`. */
const MAX_UNFINISHED = 4;

/**
 * What can be read of a JSON text that is still being written: `{"query": "source=lo` gives
 * `{query: "source=lo"}`. Unfinished keys, literals and escapes are left out. Returns undefined if
 * nothing can be read yet.
 */
export function parsePartialJson(text: string): unknown {
  const tokens = text.match(TOKENS) ?? [];
  for (let dropped = 0; dropped <= MAX_UNFINISHED; dropped++, tokens.pop()) {
    try {
      return JSON.parse(close(tokens));
    } catch {
      // Without its last token it may be whole.
    }
  }
  return undefined;
}

/** The tokens, with all open brackets closed. */
function close(tokens: readonly string[]): string {
  const closers: string[] = [];
  for (const token of tokens) {
    if (token === "{") closers.unshift("}");
    else if (token === "[") closers.unshift("]");
    else if (token === "}" || token === "]") closers.shift();
  }
  const text = tokens.join("");
  const isOpenString = tokens.at(-1)?.startsWith('"') && !/^"(?:[^"\\]|\\[^])*"$/.test(tokens.at(-1)!);
  if (!isOpenString) return text + closers.join("");
  return text.replace(/((?:^|[^\\])(?:\\\\)*)\\u[0-9a-fA-F]{0,3}$/, "$1") + '"' + closers.join("");
}
