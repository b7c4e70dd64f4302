/**
 * What can be read of a JSON text that is still being written: `{"query": "source=lo` gives `{query: "source=lo"}`.
 * Unfinished keys, literals and escapes are left out. Returns undefined where nothing can be read yet.
 */
export function parsePartialJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return new PartialReader(text).value(0);
  }
}

const MAX_DEPTH = 64;

class PartialReader {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): unknown {
    this.#space();
    const first = this.#text[this.#at];
    if (depth > MAX_DEPTH) return undefined;
    if (first === "{") return this.#object(depth);
    if (first === "[") return this.#array(depth);
    if (first === '"') return this.#string();
    return parseOrNothing(this.#match(/[^\s,\]}]+/y)?.[0] ?? "");
  }

  #object(depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    this.#at++;
    for (;;) {
      this.#space();
      if (this.#text[this.#at] !== '"') break;
      const key = this.#string();
      if (!this.#match(/\s*:/y)) break;
      const value = this.value(depth + 1);
      if (value !== undefined && key !== undefined && key !== "__proto__") object[key] = value;
      if (!this.#match(/\s*,/y)) break;
    }
    this.#match(/\s*}/y);
    return object;
  }

  #array(depth: number): unknown[] {
    const array: unknown[] = [];
    this.#at++;
    for (;;) {
      const value = this.value(depth + 1);
      if (value === undefined) break;
      array.push(value);
      if (!this.#match(/\s*,/y)) break;
    }
    this.#match(/\s*]/y);
    return array;
  }

  #string(): string | undefined {
    const [, body = "", end] = this.#match(/"([^"\\]*(?:\\[^][^"\\]*)*)("?)/y) ?? [];
    const whole = end ? body : body.replace(/\\u[0-9a-fA-F]{0,3}$/, "");
    if (!end) this.#at = this.#text.length;
    return parseOrNothing(`"${whole}"`) as string | undefined;
  }

  #space(): void {
    this.#match(/\s*/y);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match) this.#at = pattern.lastIndex;
    return match;
  }
}

function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
