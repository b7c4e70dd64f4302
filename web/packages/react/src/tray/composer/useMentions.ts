import type { PagesideClient } from "@pageside/core";
import { findMentions } from "@pageside/core/mentions";
import { useMemo } from "react";
import { mentionsOf } from "./state.js";
import type { Box } from "./types.js";
import type { Write } from "./useWriter.js";

/**
 * What the message mentions: entries that the user added, and those whose labels are in the text.
 * Removing one takes its label out of the text.
 */
export function useMentions(client: PagesideClient, { threadId, state, dispatch }: Box, write: Write) {
  const added = mentionsOf(state, threadId);
  const found = findMentions(state.text, client.getContextEntries());
  const key = JSON.stringify([...new Set([...added, ...found.map(({ id }) => id)])]);
  const ids = useMemo(() => JSON.parse(key) as string[], [key]);
  const set = (next: readonly string[]) => dispatch({ type: "mention", threadId, ids: next });
  return {
    ids,
    added,
    add: (id: string) => added.includes(id) || set([...added, id]),
    remove: (id: string) => {
      set(added.filter((other) => other !== id));
      const places = found.filter((mention) => mention.id === id);
      if (places.length > 0) write(without(state.text, places));
    },
  };
}

/** The mentions of a message, as `useMentions` returns them. */
export type Mentions = ReturnType<typeof useMentions>;

/** The text without some of its parts, each with one blank behind it, or else before it. */
function without(text: string, places: readonly { from: number; to: number }[]): string {
  return places.reduceRight((rest, { from, to }) => {
    const [before, after] = [rest.slice(0, from), rest.slice(to)];
    return after.startsWith(" ") ? before + after.slice(1) : before.replace(/ $/, "") + after;
  }, text);
}
