import { AskIcon, SparkIcon } from "./icons.js";
import { useLabels } from "./labels.js";

export interface EmptyStateProps {
  /** As the user calls the page: "Orders". */
  pageName?: string;
  /** Questions to begin with; a click sends one. */
  suggestions: readonly string[];
  onAsk: (question: string) => void;
}

export function EmptyState({ pageName, suggestions, onAsk }: EmptyStateProps) {
  const labels = useLabels();
  return (
    <div className="ps-empty">
      <span className="ps-empty-mark">
        <SparkIcon />
      </span>
      <h3 className="ps-greeting">{labels.greeting(pageName)}</h3>
      <p className="ps-greeting-hint">{labels.greetingHint}</p>
      {suggestions.length > 0 && (
        <ul className="ps-suggestions">
          {suggestions.map((question) => (
            <li key={question}>
              <button type="button" className="ps-suggestion" onClick={() => onAsk(question)}>
                <AskIcon />
                <span>{question}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
