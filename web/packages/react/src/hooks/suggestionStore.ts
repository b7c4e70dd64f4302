/**
 * What the tray may suggest while a thread is empty: gathered from the components of the page,
 * shown by the tray.
 */
import type { PagesideClient, SuggestedValue } from "@pageside/core";

/** What one component has to say about suggestions. */
export interface SuggestionSource {
  /** For the model: what there is, and what kind of questions are wanted. */
  instructions?: string;
  /** Shown where the server has no idea, or there are no instructions. */
  static?: readonly (string | SuggestedValue)[];
}

export interface SuggestionsShown {
  suggestions: readonly SuggestedValue[];
  isLoading: boolean;
}

export interface SuggestionStore {
  register(source: SuggestionSource): () => void;
  sources(): readonly SuggestionSource[];
  read(): SuggestionsShown;
  show(shown: SuggestionsShown): void;
  subscribe(listener: () => void): () => void;
  /** Called when the sources have changed; by who asks the server. */
  onChange: (() => void) | undefined;
  /** While it lasts, the server is asked. The function ends it. */
  activate(client: PagesideClient): () => void;
}

export function createSuggestionStore(): SuggestionStore {
  let sources: readonly SuggestionSource[] = [];
  let shown: SuggestionsShown = { suggestions: [], isLoading: false };
  const listeners = new Set<() => void>();
  const change = (next: readonly SuggestionSource[]) => {
    sources = next;
    store.onChange?.();
  };

  const store: SuggestionStore = {
    onChange: undefined,
    register(source) {
      change([...sources, source]);
      return () => change(sources.filter((other) => other !== source));
    },
    sources: () => sources,
    read: () => shown,
    show(next) {
      shown = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    activate(client) {
      const over = new AbortController();
      import("./suggesting.js").then(
        ({ suggesting }) => suggesting(store, client, over.signal),
        (error: unknown) => console.warn("Pageside: suggestions cannot be asked for.", error),
      );
      return () => over.abort();
    },
  };
  return store;
}
