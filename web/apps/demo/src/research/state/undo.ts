/*
 * What was there before a proposal was accepted, by the card's message id. It outlives a reload of
 * the tab, so that a card can still be undone afterwards.
 */

const prefix = "research.before.";

/** The part of Web Storage that is used. */
export type Memory = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export class Before {
  #memory: Memory | null;
  #here = new Map<string, string>();

  constructor(memory: Memory | null) {
    this.#memory = memory;
  }

  remember(messageId: string, value: unknown): void {
    const text = JSON.stringify(value);
    this.#here.set(messageId, text);
    try {
      this.#memory?.setItem(prefix + messageId, text);
    } catch {
      // Without storage it can be undone until the page is left.
    }
  }

  /** What was remembered. Throws where nothing is, in words for the card. */
  recall<T>(messageId: string): T {
    const text = this.#here.get(messageId) ?? this.#read(messageId);
    if (text === null) throw new Error("What was there before is not known in this browser tab any more.");
    return JSON.parse(text) as T;
  }

  #read(messageId: string): string | null {
    try {
      return this.#memory?.getItem(prefix + messageId) ?? null;
    } catch {
      return null;
    }
  }
}

function tabMemory(): Memory | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

export const before = new Before(typeof window === "undefined" ? null : tabMemory());
