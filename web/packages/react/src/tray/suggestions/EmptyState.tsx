import type { SendOptions, SuggestedValue } from "@pageside/core";
import { useEffect, useState } from "react";
import { useAssistantContext } from "../../context.js";
import { loadHooksPart } from "../../hooks/later.js";
import { useIsOpen } from "../../hooks/trayState.js";
import { useSuggestions } from "../../hooks/useAssistantSuggestions.js";
import { useLabels } from "../../labels/useLabels.js";
import { AskIcon, SparkIcon } from "../../ui/icons.js";
import { Words } from "../transcript/later.js";
import { saysOtherwise } from "./saysOtherwise.js";

/** The props of `<EmptyState>`. */
export interface EmptyStateProps {
  /** As the user calls the page: "Orders". */
  pageName?: string;
  /**
   * Questions to begin with; a click sends one. Those of the page's components and of the place
   * follow, four in all.
   */
  suggestions: readonly string[];
  /** The user has chosen a question. The options say where a model may have written it. */
  onAsk: (question: string, options?: SendOptions) => void;
}

const MOST = 4;

/** With this many cards the server is not asked for more. */
const ENOUGH = 3;

/** What the tray shows while the conversation is empty. */
export function EmptyState({ pageName, suggestions, onAsk }: EmptyStateProps) {
  const labels = useLabels();
  const { suggestions: store } = useAssistantContext("EmptyState");
  const { suggestions: made, isLoading } = useSuggestions();
  const first = [...suggestions.map((text) => ({ label: text, value: text })), ...made];
  const ofPlace = usePlaceSuggestions(first.length < ENOUGH && !isLoading);
  const cards = [...new Map([...first, ...ofPlace].map((card) => [card.value, card])).values()].slice(0, MOST);
  const own = new Set([...suggestions, ...store.sources().flatMap((source) => (source.static ?? []).map(valueOf))]);
  const [before, after] = labels.greeting(pageName).split(pageName || "\0", 2);
  return (
    <div className="ps-empty ps-stack ps-tight">
      <span className="ps-empty-mark">
        <SparkIcon />
      </span>
      <h3 className="ps-greeting">
        {before}
        {after !== undefined && <em className="ps-page-name">{pageName}</em>}
        {after}
      </h3>
      <p className="ps-muted">{labels.greetingHint}</p>
      {(cards.length > 0 || isLoading) && (
        <ul className="ps-suggestions ps-stack" aria-busy={isLoading || undefined}>
          {cards.map(({ label, value }) => (
            <li key={value}>
              <button
                type="button"
                className="ps-suggestion ps-row ps-text-md"
                onClick={() => (own.has(value) ? onAsk(value) : onAsk(value, { suggested: true }))}
              >
                <AskIcon />
                <span dir="auto">{saysOtherwise(label, value) ? <Words label={label} value={value} /> : label}</span>
              </button>
            </li>
          ))}
          {isLoading && cards.length === 0 && (
            <li className="ps-suggestion ps-shimmer ps-row ps-text-md" aria-hidden="true" />
          )}
        </ul>
      )}
    </div>
  );
}

const valueOf = (suggestion: string | SuggestedValue) =>
  typeof suggestion === "string" ? suggestion : suggestion.value;

/** The server's suggestions for the user's place while the tray is open. */
function usePlaceSuggestions(isWanted: boolean): readonly SuggestedValue[] {
  const { client } = useAssistantContext("EmptyState");
  const isOpen = useIsOpen();
  const [values, setValues] = useState<readonly SuggestedValue[]>([]);
  const isAsked = isOpen && isWanted;
  useEffect(() => {
    if (!isAsked) return;
    const over = new AbortController();
    loadHooksPart().then(
      ({ watchPlace }) => watchPlace(client, setValues, over.signal),
      () => {}, // the page's own suggestions are shown
    );
    return () => over.abort();
  }, [client, isAsked]);
  return values;
}
