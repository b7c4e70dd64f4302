import type { PagesideClient } from "@pageside/core";
import { useEffect, useSyncExternalStore } from "react";
import { useAssistantContext } from "../context.js";
import { useLatest, useLayoutEffect } from "./effects.js";
import { withHooksPart } from "./later.js";
import { useSource } from "./registration.js";
import type { SuggestionsShown, SuggestionSource, SuggestionStore } from "./suggestionStore.js";
import { useIsOpen } from "./trayState.js";
import { useAssistantSnapshot } from "./useAssistant.js";

export type { SuggestionSource, SuggestionsShown };

/**
 * Shows users what they can ask: the tray shows suggestions while it is open, in an empty thread
 * and below the last answer, unless that brings its own. The server makes them from the
 * instructions of all mounted components, the page's context and the end of the conversation; in an
 * empty thread the `static` ones are the fallback.
 *
 * Use it in components that know what there is to ask about. The server is asked only while
 * suggestions are visible and no run goes on, after each answer, once the page is at rest after a
 * change, and once per state of the page and of the conversation. It is asked
 * again when one of the `deps` changes or, without them, the instructions.
 *
 * @example
 * useAssistantSuggestions(
 *   {
 *     instructions: `${selected.length} employees are selected. Suggest next actions.`,
 *     static: ["Who is on leave?"],
 *   },
 *   [selected.length],
 * );
 */
export function useAssistantSuggestions(source: SuggestionSource, deps?: readonly unknown[]): void {
  const { suggestions } = useAssistantContext("useAssistantSuggestions");
  const latest = useLatest(source);
  const plugin = useSource(source.source);
  useLayoutEffect(
    () => suggestions.register({ ...latest.current, source: plugin }),
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [suggestions, latest, plugin, ...(deps ?? [source.instructions, JSON.stringify(source.static)])],
  );
}

/**
 * The current suggestions, for trays of your own; `<AssistantTray>` uses it. The server is asked
 * while the component is mounted, `isShown` is true and no run goes on.
 *
 * @example
 * const { suggestions, isLoading } = useSuggestions();
 */
export function useSuggestions(isShown?: boolean): SuggestionsShown {
  const { client, suggestions } = useAssistantContext("useSuggestions");
  const isOpen = useIsOpen();
  const isIdle = useAssistantSnapshot(
    ({ status, loading, questions }) => status === "idle" && !loading && !questions.some(({ from }) => from === "run"),
  );
  const last = useAssistantSnapshot(({ messages }) => messages.at(-1)?.id);
  const isAsked = isIdle && (isShown ?? isOpen);
  useEffect(() => (isAsked ? keepAsking(suggestions, client) : undefined), [suggestions, client, isAsked, last]);
  return useSyncExternalStore(suggestions.subscribe, suggestions.read, suggestions.read);
}

/** Asks the server until the returned function is called. */
function keepAsking(store: SuggestionStore, client: PagesideClient): () => void {
  const over = new AbortController();
  withHooksPart(({ suggesting }) => suggesting(store, client, over.signal), "suggestions cannot be asked for");
  return () => over.abort();
}
