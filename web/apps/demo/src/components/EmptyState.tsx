import { useDiscover } from "../app/discover-context.ts";
import type { Hint } from "../state/hints.ts";
import { AskButton } from "./AskButton.tsx";
import { Icon } from "./Icon.tsx";
import "./states.css";

const removeLabels: Record<Hint["kind"], string> = {
  filter: "Switch off",
  time: "Show whole log",
  query: "Show all requests",
};

/** Nothing matched: what narrows the view, and how much each of it keeps out. */
export function EmptyState() {
  const { snapshot, dispatch } = useDiscover();
  const { hints, view } = snapshot;
  const narrow = view.time !== null || view.filters.some((filter) => !filter.disabled);
  return (
    <div className="state">
      <span className="state-icon">
        <Icon name="search" size={20} />
      </span>
      <h3 className="state-title">No results</h3>
      <p className="state-text">
        {hints.length > 0 ? "No request fits all of these at once:" : "The log holds no requests."}
      </p>
      {hints.length > 0 && (
        <ul className="hints">
          {hints.map((hint) => (
            <li key={`${hint.kind} ${hint.label}`} className="hint" data-helps={hint.matched ? "" : undefined}>
              <span className="hint-kind">{hint.kind}</span>
              <span className="hint-label" title={hint.label}>
                {hint.label}
              </span>
              <span className="hint-count">
                {hint.matched === undefined ? "" : `${hint.matched.toLocaleString("en")} without it`}
              </span>
              <button type="button" className="button button-quiet" onClick={() => dispatch(hint.remove)}>
                {removeLabels[hint.kind]}
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="state-actions">
        {narrow && (
          <button type="button" className="button" onClick={() => dispatch({ type: "clear-narrowing" })}>
            Clear filters and time range
          </button>
        )}
        <AskButton question="Why are there no results?">Ask why</AskButton>
      </div>
    </div>
  );
}
