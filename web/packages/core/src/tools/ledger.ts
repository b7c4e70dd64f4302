/**
 * What became of tool calls whose handlers ran in a page: over reloads and tabs, as far as the
 * client may remember.
 */
import type { ToolParts } from "./registry.js";

const KEY = "pageside:calls";

/** The calls that are remembered, and the longest result, in characters. */
const MAX_CALLS = 200;
const MAX_RESULT = 64 * 1024;

/** A call that was begun, with its result once it has one that can be kept. */
type Entry = [id: string, result?: string];

/** Remembers calls, so that none runs twice by itself. */
export class Ledger {
  readonly #parts: ToolParts;
  /** The calls whose handlers this one has seen begin. */
  readonly #run = new Set<string>();

  constructor(parts: ToolParts) {
    this.#parts = parts;
  }

  /** Reports whether the call's handler was ever begun. */
  has(id: string): boolean {
    return this.#parts.begun.has(id) || this.#find(id) !== undefined;
  }

  /**
   * The content of the tool message, where the handler had finished before its result could be
   * sent.
   */
  resultOf(id: string): string | undefined {
    return this.#find(id)?.[1];
  }

  /** Takes the call for this tab. Its handler has not run yet: after a reload it still may. */
  take(id: string): void {
    this.#parts.begun.add(id);
  }

  /** Gives back a call whose handler has not run, so that another may run it. */
  giveBack(id: string): void {
    if (!this.#run.has(id)) this.#parts.begun.delete(id);
  }

  /** Notes that the handler runs from now on. */
  begin(id: string): void {
    this.#run.add(id);
    this.#put([id]);
  }

  finish(id: string, result: string): void {
    if (result.length <= MAX_RESULT) this.#put([id, result]);
  }

  #find(id: string): Entry | undefined {
    return this.#read().find(([other]) => other === id);
  }

  #put(entry: Entry): void {
    const others = this.#read().filter(([id]) => id !== entry[0]);
    try {
      this.#parts.memory.common?.setItem(KEY, JSON.stringify([...others, entry].slice(-MAX_CALLS)));
    } catch {
      // The storage is full: the calls of this page are still known.
    }
  }

  #read(): Entry[] {
    try {
      const entries: unknown = JSON.parse(this.#parts.memory.common?.getItem(KEY) ?? "[]");
      return Array.isArray(entries) ? entries : [];
    } catch {
      return [];
    }
  }
}
