import type { ApiError } from "../api/client.ts";
import { useDiscover } from "../app/discover-context.ts";
import type { Filter } from "../api/types.ts";
import { filterLabel } from "../state/results.ts";
import { AskButton } from "./AskButton.tsx";
import { Icon } from "./Icon.tsx";
import "./states.css";

/** The query could not be run: because of its text, or because the server did not answer. */
export function FailedState({ error }: { error: ApiError }) {
  const { model, snapshot, dispatch } = useDiscover();
  const wrongQuery = error.code === "ppl_error";
  const index = Number(/^filters\[(\d+)\]/.exec(error.field ?? "")?.[1] ?? -1);
  const filter = snapshot.view.filters[index];
  return (
    <div className="state" role={error.place ? undefined : "alert"}>
      <span className="state-icon" data-tone="bad">
        <Icon name="alert" size={20} />
      </span>
      <h3 className="state-title">{title(wrongQuery, filter)}</h3>
      <p className="state-text">{filter ? error.message.replace(/^filters\[\d+\]\./, "Its ") : error.message}</p>
      {error.place && error.place.expected.length > 0 && (
        <p className="state-expected">
          <span className="muted">Expected</span>{" "}
          {error.place.expected.slice(0, 12).map((word) => (
            <code key={word}>{word}</code>
          ))}
        </p>
      )}
      <div className="state-actions">
        {filter && (
          <button type="button" className="button" onClick={() => dispatch({ type: "remove-filter", index })}>
            Remove the filter
          </button>
        )}
        {wrongQuery ? (
          <button type="button" className="button" onClick={() => dispatch({ type: "run", query: "" })}>
            Show all requests
          </button>
        ) : (
          !filter && (
            <button type="button" className="button" onClick={model.refresh}>
              Try again
            </button>
          )
        )}
        {wrongQuery && <AskButton question="What is wrong with this query?">Ask what is wrong</AskButton>}
      </div>
    </div>
  );
}

function title(wrongQuery: boolean, filter: Filter | undefined): string {
  if (filter) return `The filter “${filterLabel(filter)}” cannot be used`;
  return wrongQuery ? "This query cannot be run" : "The results could not be loaded";
}
