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
   * Remembers the open thread and its run over a reload: `"tab"` (`sessionStorage`), `"browser"`
   * (`localStorage`), or an object like these.
   * @defaultValue nowhere
   */
  memory?: "tab" | "browser" | MemoryStorage;
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

/** Remembers the open thread over a reload. Without a working storage it remembers nothing. */
export class Memory {
  /** What all tabs share. */
  readonly common: MemoryStorage | undefined;
  readonly #storage: MemoryStorage | undefined;
  /** Under which the open thread is remembered. */
  readonly key: string;

  constructor({ memory, url = "", agent = "" }: MemoryOptions) {
    this.key = `pageside:thread:${url}:${agent}`;
    try {
      this.#storage = memory === "tab" ? sessionStorage : memory === "browser" ? localStorage : memory;
      this.common = memory === "tab" ? localStorage : this.#storage;
    } catch {
      // Storage is switched off.
    }
  }

  /** What was written last; empty if it cannot be read. */
  read(): Remembered {
    try {
      const remembered: Remembered | null = JSON.parse(this.#storage?.getItem(this.key) ?? "{}");
      return remembered ?? {};
    } catch {
      return {};
    }
  }

  /** Best effort. */
  write(remembered: Remembered): void {
    try {
      this.#storage?.setItem(this.key, JSON.stringify(remembered));
    } catch {
      // It is full.
    }
  }
}
