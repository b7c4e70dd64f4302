/**
 * Reads what dashboards put into their addresses: `_a=(query:(language:kuery,query:''))`. That is
 * Rison (https://github.com/Nanonid/rison), a shorter JSON; some write plain JSON.
 */
import type { Json } from "@pageside/core";

/** Deeper values are refused. */
const MAX_DEPTH = 64;

/**
 * The value of an address parameter: parsed if it is Rison or JSON, else the text. For `decode` of
 * `usePageContext`.
 *
 * @example
 * usePageContext({
 *   description: "Discover",
 *   decode: decodeRison,
 *   convert: ({ _a, _g }) => ({ app: _a, global: _g }),
 * });
 */
export function decodeRison(text: string): Json {
  // A plain word or number is Rison, too, but stays text.
  if (!/^[('"[{]|^![(tfn]/.test(text)) return text;
  for (const parse of [parseRison, parseJson]) {
    try {
      return parse(text);
    } catch {
      // It is something else.
    }
  }
  return text;
}

function parseJson(text: string): Json {
  return JSON.parse(text, (key: string, value: unknown) => (key === "__proto__" ? undefined : value));
}

/** Reads Rison. Throws a SyntaxError with the position if the text is not Rison. */
export function parseRison(text: string): Json {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

const ID = /[^\s'!:(),*@$-][^\s'!:(),*@$]*/y;
const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?(e-?\d+)?(?=[,)]|$)/y;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  end(): void {
    if (this.#at < this.#text.length) this.#fail("nothing more");
  }

  value(depth: number): Json {
    if (depth > MAX_DEPTH) return this.#fail("less depth");
    if (this.#take("!(")) return this.#list(depth);
    if (this.#take("(")) return this.#object(depth);
    if (this.#take("'")) return this.#string();
    if (this.#take("!t")) return true;
    if (this.#take("!f")) return false;
    if (this.#take("!n")) return null;
    const number = this.#match(NUMBER);
    return number === undefined ? (this.#match(ID) ?? this.#fail("a value")) : Number(number);
  }

  #list(depth: number): Json[] {
    const items: Json[] = [];
    while (!this.#take(")")) {
      if (items.length > 0) this.#expect(",");
      items.push(this.value(depth + 1));
    }
    return items;
  }

  #object(depth: number): Json {
    const members: [string, Json][] = [];
    while (!this.#take(")")) {
      if (members.length > 0) this.#expect(",");
      const name = this.#take("'") ? this.#string() : (this.#match(ID) ?? this.#match(NUMBER) ?? this.#fail("a name"));
      this.#expect(":");
      members.push([name, this.value(depth + 1)]);
    }
    return Object.fromEntries(members.filter(([name]) => name !== "__proto__"));
  }

  /** What follows a quote, to the next one. `!` escapes a quote, and itself. */
  #string(): string {
    let value = "";
    for (;;) {
      const char = this.#text[this.#at++];
      if (char === undefined) return this.#fail("a quote");
      if (char === "'") return value;
      value += char === "!" ? this.#escaped() : char;
    }
  }

  #escaped(): string {
    const char = this.#text[this.#at++];
    return char === "!" || char === "'" ? char : this.#fail("a quote behind !");
  }

  #take(text: string): boolean {
    const isThere = this.#text.startsWith(text, this.#at);
    if (isThere) this.#at += text.length;
    return isThere;
  }

  #expect(text: string): void {
    if (!this.#take(text)) this.#fail(text);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #fail(wanted: string): never {
    throw new SyntaxError(`This is no Rison: ${wanted} was expected at ${this.#at}.`);
  }
}
