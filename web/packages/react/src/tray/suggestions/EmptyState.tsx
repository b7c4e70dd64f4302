import type { SuggestedValue } from "@pageside/core";
import { useEffect, useState } from "react";
import { useAssistantContext } from "../../context.js";
import { useSuggestions } from "../../hooks/useAssistantSuggestions.js";
import { useLabels } from "../../labels/useLabels.js";
import { AskIcon, SparkIcon } from "../../ui/icons.js";

/** The props of `<EmptyState>`. */
export interface EmptyStateProps {
  /** As the user calls the page: "Orders". */
  pageName?: string;
  /**
   * Questions to begin with; a click sends one. Those of the page's components and of the place
   * follow, four in all.
   */
  suggestions: readonly string[];
  /** The user has chosen a question. */
  onAsk: (question: string) => void;
}

const MOST = 4;

/** With this many cards the server is not asked for more. */
const ENOUGH = 3;

/** What the tray shows while the conversation is empty. */
export function EmptyState({ pageName, suggestions, onAsk }: EmptyStateProps) {
  const labels = useLabels();
  const { suggestions: made, isLoading } = useSuggestions();
  const own = [...suggestions.map((text) => ({ label: text, value: text })), ...made];
  const ofPlace = usePlaceSuggestions(own.length < ENOUGH && !isLoading);
  const cards = [...new Map([...own, ...ofPlace].map((card) => [card.value, card])).values()].slice(0, MOST);
  const [before, after] = labels.greeting(pageName).split(pageName || "\0", 2);
  return (
    <div className="ps-empty">
      <span className="ps-empty-mark">
        <SparkIcon />
      </span>
      <h3 className="ps-greeting">
        {before}
        {after !== undefined && <em className="ps-page-name">{pageName}</em>}
        {after}
      </h3>
      <p className="ps-greeting-hint">{labels.greetingHint}</p>
      {(cards.length > 0 || isLoading) && (
        <ul className="ps-suggestions" aria-busy={isLoading || undefined}>
          {cards.map(({ label, value }) => (
            <li key={value}>
              <button type="button" className="ps-suggestion" onClick={() => onAsk(value)}>
                <AskIcon />
                <span dir="auto">{label}</span>
              </button>
            </li>
          ))}
          {isLoading && cards.length === 0 && <li className="ps-suggestion ps-shimmer" aria-hidden="true" />}
        </ul>
      )}
    </div>
  );
}

/** The server's suggestions for the user's place while the tray is open. */
function usePlaceSuggestions(isWanted: boolean): readonly SuggestedValue[] {
  const { client, isOpen } = useAssistantContext("EmptyState");
  const [values, setValues] = useState<readonly SuggestedValue[]>([]);
  const isAsked = isOpen && isWanted;
  useEffect(() => {
    if (!isAsked) return;
    const over = new AbortController();
    import("./placeSuggestions.js").then(
      ({ watchPlace }) => watchPlace(client, setValues, over.signal),
      () => {}, // the page's own suggestions are shown
    );
    return () => over.abort();
  }, [client, isAsked]);
  return values;
}
