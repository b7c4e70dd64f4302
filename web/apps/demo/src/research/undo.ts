const prefix = "research.before.";

/**
 * The state before a proposal was accepted, by the card's message id. It outlives a reload, so that
 * a card can still be undone.
 */
export const before = {
  remember: (messageId: string, value: unknown) => sessionStorage.setItem(prefix + messageId, JSON.stringify(value)),

  /** Throws, in words for the card, if nothing is remembered. */
  recall<T>(messageId: string): T {
    const text = sessionStorage.getItem(prefix + messageId);
    if (text === null) throw new Error("What was there before is no longer known in this browser tab.");
    return JSON.parse(text) as T;
  },
};
