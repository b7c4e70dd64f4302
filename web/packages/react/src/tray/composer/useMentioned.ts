import type { PagesideClient } from "@pageside/core";
import { findMentions } from "@pageside/core/mentions";
import { useMemo } from "react";
import type { Box } from "./types.js";
import type { Message } from "./useMessage.js";
import type { Write } from "./useWriter.js";

/**
 * What the message mentions: entries that the user added, and those whose labels are in the text.
 * Removing one takes its label out of the text.
 */
export function useMentioned(client: PagesideClient, { draft }: Box, { added }: Message, write: Write) {
  const found = findMentions(draft, client.getContextEntries());
  const ids = JSON.stringify([...new Set([...added.mentions, ...found.map(({ id }) => id)])]);
  const mentions = useMemo(() => JSON.parse(ids) as string[], [ids]);
  const remove = (id: string) => {
    added.remove(id);
    const places = found.filter((mention) => mention.id === id);
    if (places.length > 0) write(without(draft, places));
  };
  return { mentions, remove };
}

/** The text without some of its parts, each with one blank behind it, or else before it. */
function without(text: string, places: readonly { from: number; to: number }[]): string {
  return places.reduceRight((rest, { from, to }) => {
    const [before, after] = [rest.slice(0, from), rest.slice(to)];
    return after.startsWith(" ") ? before + after.slice(1) : before.replace(/ $/, "") + after;
  }, text);
}
