import type { ContextEntryInfo, PagesideClient, Place } from "@pageside/core";
import { useCallback, useRef, useSyncExternalStore, useEffect } from "react";
import { tokensOfPage } from "../sees/size.js";

/** What the page sends or lets the user mention, and about how many tokens that takes. */
export interface PageEntries {
  /** What the page has registered. */
  entries: readonly ContextEntryInfo[];
  /** The values that are sent with these mentions, as text, by the ids of the entries. */
  values: Readonly<Record<string, string>>;
  /** What is sent with every message. */
  tokens: number;
  /** Where the user is. */
  place: Place | undefined;
}

/** Read again whenever the page says that it changed, and when a run begins or ends. */
export function usePageEntries(client: PagesideClient, mentions: readonly string[]): PageEntries {
  const cache = useRef<{ key: string; value: PageEntries }>(undefined);

  const read = useCallback((): PageEntries => {
    const value = readEntries(client, mentions);
    const key = JSON.stringify(value);
    if (cache.current?.key !== key) cache.current = { key, value };
    return cache.current.value;
  }, [client, mentions]);

  // A snapshot must stay the same until the store reports a change, but the page's values may
  // differ with every read.
  const current = useRef<{ read: typeof read; value: PageEntries }>(undefined);
  const subscribe = useCallback(
    (changed: () => void) => {
      let status = client.getSnapshot().status;
      const again = () => {
        current.current = undefined;
        changed();
      };
      const undo = [
        client.subscribePage(again),
        client.subscribe(() => {
          const now = client.getSnapshot().status;
          if (now === status) return;
          status = now;
          again();
        }),
      ];
      return () => undo.forEach((each) => each());
    },
    [client],
  );
  const snapshot = () => {
    if (current.current?.read !== read) current.current = { read, value: read() };
    return current.current.value;
  };
  return useSyncExternalStore(subscribe, snapshot, snapshot);
}

function readEntries(client: PagesideClient, mentions: readonly string[]): PageEntries {
  const entries = client.getContextEntries();
  const context = client.getContext(mentions);
  const values = Object.fromEntries(context.map(({ id, value }) => [id, value]));
  // Without the mentions, as in the panel.
  const tokens = tokensOfPage(client, mentions.length > 0 ? client.getContext() : context);
  return { entries, values, tokens, place: client.getPlace() };
}

/** The label with exactly one `@`: `"@selected-rows"`. */
export const labelOf = ({ label, description }: ContextEntryInfo): string =>
  label ? `@${label.replace(/^@/, "")}` : description;

/**
 * Leaves a selection out of what is sent, as long as it stays the same. What the user selects next
 * is sent again.
 */
export function useLeftOut(client: PagesideClient): (id: string) => void {
  const left = useRef(new Map<string, string | undefined>());

  useEffect(
    () =>
      client.subscribePage(() => {
        for (const [id, value] of left.current) {
          if (valueOf(client, id) === value) continue;
          left.current.delete(id);
          client.setIncluded("context", id, true);
        }
      }),
    [client],
  );

  return useCallback(
    (id) => {
      left.current.set(id, valueOf(client, id));
      client.setIncluded("context", id, false);
    },
    [client],
  );
}

const valueOf = (client: PagesideClient, id: string) => client.getContext([id]).find((item) => item.id === id)?.value;
