/** Where a client remembers its thread, and under which name. */
export interface MemoryOptions {
  /**
   * Base URL of the server.
   * @defaultValue same origin
   */
  url?: string;
  /**
   * Agent id.
   * @defaultValue `"default"`
   */
  agent?: string;
  /**
   * Who is signed in, in any words that tell users apart. Each has a thread of their own, and what
   * they always allow is remembered for each.
   */
  user?: string;
  /**
   * Where the open thread and its run are remembered, so that a reload goes on: `"tab"`
   * (`sessionStorage`), `"browser"` (`localStorage`), an object like these, or `"none"`. Two
   * clients of one page, with the same server, agent and user, remember a thread each; those that
   * share an object share what it holds.
   * @defaultValue `"tab"`
   */
  memory?: "tab" | "browser" | "none" | MemoryStorage;
}

/**
 * The part of the Web Storage interface that is used. Its errors are ignored: the client then
 * forgets.
 */
export type MemoryStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** The open thread, and its run if that began here and may still be live. */
export interface Remembered {
  threadId?: string;
  runId?: string;
}

/** The keys that clients of this page use, so that no two of them share one. */
const taken = new Set<string>();

/**
 * Remembers the open thread over a reload, under a key that no other client of the page has: the
 * first read or write takes it. Without a working storage it remembers nothing.
 */
export class Memory {
  /** What all tabs share. */
  readonly common: MemoryStorage | undefined;
  /** Names the server, agent and user. */
  readonly key: string;
  #storage: MemoryStorage | undefined;
  #taken: string | undefined;

  constructor({ memory = "tab", url = "", agent = "", user = "" }: MemoryOptions) {
    this.key = `pageside:thread:${url}:${agent}:${user}`;
    if (typeof memory === "object") this.#taken = this.key;
    try {
      if (typeof memory === "object") this.#storage = memory;
      else if (memory !== "none") this.#storage = memory === "tab" ? sessionStorage : localStorage;
      this.common = memory === "tab" ? localStorage : this.#storage;
    } catch {
      // Storage is switched off, or there is none: this is no browser.
    }
  }

  /** What was written last; empty if it cannot be read. */
  read<Kept extends Remembered>(part = ""): Partial<Kept> {
    try {
      return (JSON.parse(this.#storage?.getItem(this.#take() + part) ?? "{}") as Kept | null) ?? {};
    } catch {
      return {};
    }
  }

  /** Best effort. */
  write(remembered: Remembered, part = ""): void {
    try {
      this.#storage?.setItem(this.#take() + part, JSON.stringify(remembered));
    } catch {
      // It is full.
    }
  }

  /** Lets another client go on where this one was. From now on, nothing is remembered. */
  release(): void {
    this.#storage = undefined;
    taken.delete(this.#taken ?? "");
  }

  #take(): string {
    if (this.#taken) return this.#taken;
    let key = this.key;
    while (taken.has(key)) key += "+";
    taken.add(key);
    return (this.#taken = key);
  }
}
