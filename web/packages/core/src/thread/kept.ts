/** Keeps a thread in the browser's storage, where no server does. */
import type { Interrupt } from "@ag-ui/core";
import { compact } from "../base/values.js";
import type { KeptThreads } from "../protocol/agent-http.js";
import type { Memory, Remembered } from "./memory.js";
import type { View } from "./thread.js";

/** The largest thread that is kept, in characters of JSON. */
const MOST = 2_000_000;

/** Under which it is kept, beside what a client remembers. */
const PART = ":messages";

type Kept = Remembered & Partial<Pick<View, "messages" | "state">> & { interrupts?: (Interrupt | undefined)[] };

/** The thread that was open last, as it was after its last run. */
export class KeptThread implements KeptThreads {
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** Best effort: a thread that does not fit is not kept, rather than kept in part. */
  keep({ threadId, messages, state, questions }: View): void {
    const kept: Kept = { threadId, messages, state, interrupts: questions.map(({ interrupt }) => interrupt) };
    this.clear();
    if (JSON.stringify(kept).length <= MOST) this.#memory.write(kept, PART);
  }

  clear(): void {
    this.#memory.write({}, PART);
  }

  eventsOf(threadId: string): readonly object[] | undefined {
    const kept = this.#memory.read<Kept>(PART);
    if (kept.threadId !== threadId) return undefined;
    const { messages = [], state, interrupts = [] } = kept;
    const run = { threadId, runId: "kept" };
    const outcome = interrupts.length > 0 ? { type: "interrupt", interrupts } : undefined;
    return [
      { type: "RUN_STARTED", ...run },
      { type: "MESSAGES_SNAPSHOT", messages },
      ...(state === undefined ? [] : [{ type: "STATE_SNAPSHOT", snapshot: state }]),
      compact({ type: "RUN_FINISHED", ...run, outcome }),
    ];
  }
}
