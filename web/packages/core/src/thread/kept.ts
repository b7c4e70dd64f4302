/** Keeps a thread in the browser's storage, where no server does. */
import { compact } from "../base/values.js";
import type { KeptThreads } from "../protocol/agent-http.js";
import { storageOf, type MemoryOptions, type MemoryStorage } from "./memory.js";
import type { View } from "./thread.js";

/** The largest thread that is kept, in characters of JSON. */
const MOST = 2_000_000;

type Record = Pick<View, "threadId" | "messages" | "state" | "interrupts">;

/** The thread that was open last, as it was after its last run. */
export class Kept implements KeptThreads {
  readonly #storage: MemoryStorage | undefined;
  readonly #key: string;

  constructor({ memory, url = "" }: MemoryOptions) {
    this.#key = `pageside:agui:${url}`;
    try {
      this.#storage = storageOf(memory);
    } catch {
      // Storage is switched off.
    }
  }

  /** Best effort: a thread that does not fit is not kept, rather than kept in part. */
  keep({ threadId, messages, state, interrupts }: View): void {
    const open = interrupts.map(({ answer: _, ...interrupt }) => interrupt);
    const record: Record = { threadId, messages, state, interrupts: open };
    try {
      const text = JSON.stringify(record);
      if (text.length > MOST) throw new Error("too long");
      this.#storage?.setItem(this.#key, text);
    } catch {
      this.clear();
    }
  }

  clear(): void {
    try {
      this.#storage?.removeItem(this.#key);
    } catch {
      // Storage is switched off.
    }
  }

  eventsOf(threadId: string): readonly object[] | undefined {
    const record = this.#read();
    if (record?.threadId !== threadId) return undefined;
    const { messages, state, interrupts } = record;
    const run = { threadId, runId: "kept" };
    return [
      { type: "RUN_STARTED", ...run },
      { type: "MESSAGES_SNAPSHOT", messages },
      ...(state === undefined ? [] : [{ type: "STATE_SNAPSHOT", snapshot: state }]),
      compact({
        type: "RUN_FINISHED",
        ...run,
        outcome: interrupts.length > 0 ? { type: "interrupt", interrupts } : undefined,
      }),
    ];
  }

  #read(): Record | undefined {
    try {
      return JSON.parse(this.#storage?.getItem(this.#key) ?? "null") ?? undefined;
    } catch {
      return undefined;
    }
  }
}
