/**
 * The tool calls whose handlers ran in this browser: across reloads and tabs, if the client has a
 * memory.
 */
import type { ToolParts } from "./parts.js";
import type { CitableSource } from "./types.js";

const KEY = "pageside:calls";

/** The most calls that are remembered, and the longest result with its sources, in characters. */
const MAX_CALLS = 200;
const MAX_RESULT = 64 * 1024;

/** A call that was begun, with its result and what that rests on once there is one short enough. */
type Entry = [id: string, result?: string, sources?: readonly CitableSource[]];

/** Remembers calls, so that none runs twice without the user's request. */
export class Ledger {
  readonly #parts: ToolParts;
  /** The calls whose handlers began in this page. */
  readonly #run = new Set<string>();

  constructor(parts: ToolParts) {
    this.#parts = parts;
  }

  /** Reports whether the call's handler was ever begun. */
  has(id: string): boolean {
    return this.#parts.begun.has(id) || this.#find(id) !== undefined;
  }

  /** The content of the tool message, and what it rests on, if the handler finished. */
  resultOf(id: string): { content: string; sources?: readonly CitableSource[] } | undefined {
    const [, content, sources] = this.#find(id) ?? [];
    return content === undefined ? undefined : { content, sources };
  }

  /** Reports whether the handler was begun, maybe in a page that is gone, and did not finish. */
  isCut(id: string): boolean {
    return this.has(id) && !this.resultOf(id);
  }

  /** Takes the call for this tab. Until its handler begins, it may still run after a reload. */
  take(id: string): void {
    this.#parts.begun.add(id);
  }

  /** Gives back a call whose handler has not run, so that another tab may run it. */
  giveBack(id: string): void {
    if (!this.#run.has(id)) this.#parts.begun.delete(id);
  }

  /** Notes that the handler begins. */
  begin(id: string): void {
    this.#run.add(id);
    this.#put([id]);
  }

  finish(id: string, result: string, sources: readonly CitableSource[]): void {
    if (result.length + JSON.stringify(sources).length <= MAX_RESULT) this.#put([id, result, sources]);
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
