import { useMemo, useState } from "react";

const NONE: readonly string[] = [];

/**
 * What the user mentioned in the message that is being written, of each thread, by the ids of
 * context entries.
 */
export function useMentions(threadId: string) {
  const [all, setAll] = useState<Readonly<Record<string, readonly string[]>>>({});
  const mentions = all[threadId] ?? NONE;
  return useMemo(() => {
    const set = (next: readonly string[]) => setAll((now) => ({ ...now, [threadId]: next }));
    return {
      mentions,
      add: (id: string) => mentions.includes(id) || set([...mentions, id]),
      remove: (id: string) => set(mentions.filter((other) => other !== id)),
      set,
    };
  }, [threadId, mentions]);
}
