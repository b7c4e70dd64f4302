/**
 * What the tray may suggest while a thread is empty: gathered from the components of the page,
 * shown by the tray.
 */
import { Subscribable, type PagesideClient, type SuggestedValue } from "@pageside/core";

/** What one component contributes to the suggestions. */
export interface SuggestionSource {
  /**
   * For the model: what there is and which questions are wanted. It also gets the page's context
   * and place.
   */
  instructions?: string;
  /**
   * Texts, or `{ label, value }`, shown without instructions or where the server suggests nothing.
   */
  static?: readonly (string | SuggestedValue)[];
}

/** What the tray suggests at the moment. */
export interface SuggestionsShown {
  /** What may be asked. */
  suggestions: readonly SuggestedValue[];
  /** Is the server being asked? */
  isLoading: boolean;
}

/** The suggestions of one provider: who contributes to them, and what is shown. */
export interface SuggestionStore {
  /** Adds a source. The function removes it. */
  register(source: SuggestionSource): () => void;
  /** All sources, in the order in which they were registered. */
  sources(): readonly SuggestionSource[];
  /** What is shown: the same object until that changes. */
  read(): SuggestionsShown;
  /** Shows something else. */
  show(shown: SuggestionsShown): void;
  /** Calls the listener when something else is shown. The function undoes it. */
  subscribe(listener: () => void): () => void;
  /** Called when the sources have changed; set by what asks the server. */
  onChange: (() => void) | undefined;
  /** Asks the server until the returned function is called. */
  activate(client: PagesideClient): () => void;
}

/** Makes a store without sources. */
export function createSuggestionStore(): SuggestionStore {
  let sources: readonly SuggestionSource[] = [];
  let shown: SuggestionsShown = { suggestions: [], isLoading: false };
  const changes = new Subscribable();
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
      changes.notify();
    },
    subscribe: changes.subscribe,
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
