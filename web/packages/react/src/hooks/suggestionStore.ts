/** What may be asked next: collected from the page's components, shown by the tray. */
import { Subscribable, type SuggestedValue } from "@pageside/core";

/** What one component contributes to the suggestions. */
export interface SuggestionSource {
  /** For the model: what the page has, and what kind of questions are wanted. */
  instructions?: string;
  /** Shown in an empty thread if the server suggests nothing or there are no instructions. */
  static?: readonly (string | SuggestedValue)[];
  /**
   * The component or plug-in it belongs to.
   * @defaultValue the plug-in around, in React
   */
  source?: string;
}

/** What the tray suggests at the moment. */
export interface SuggestionsShown {
  /** What may be asked. */
  suggestions: readonly SuggestedValue[];
  /** Is the server being asked? */
  isLoading: boolean;
}

/** The suggestions of one provider: their sources, and what is shown. */
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
  };
  return store;
}
