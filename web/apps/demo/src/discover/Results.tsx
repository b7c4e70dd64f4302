import type { HttpError } from "../shell/http.ts";
import { AskButton, Button, IconButton } from "../ui/Button.tsx";
import { Pager } from "../ui/Pager.tsx";
import { Failed, Loading, State } from "../ui/State.tsx";
import { count, num } from "../ui/text.ts";
import { AlertsMenu } from "./AlertsMenu.tsx";
import { SELECTED_ROWS } from "./DiscoverAssistant.tsx";
import { shownColumns } from "./results.ts";
import { ResultsTable } from "./ResultsTable.tsx";
import { SavedQueriesMenu } from "./SavedQueries.tsx";
import { useDiscover } from "./use-discover.ts";
import { pageableRows, pageSizes } from "./view.ts";

/** The result of the query: its size and rows, or a message instead of them. */
export function Results() {
  const { snapshot, dispatch } = useDiscover();
  const { results, info, view } = snapshot;
  const failed = results.status === "error";
  const data = failed ? null : results.data;
  const filled = data !== null && data.total > 0;
  return (
    <section className="panel results-panel" aria-label="Results" aria-busy={results.status === "loading"}>
      <header className="results-head">
        <h2>{data?.kind === "table" ? "Table" : "Requests"}</h2>
        {filled && data.total <= pageSizes[0] && (
          <p className="count" dir="auto">
            {count(data.total, "row")}
          </p>
        )}
        {snapshot.selected.length > 0 && <SelectionBar />}
        <span className="spring" />
        <SavedQueriesMenu />
        <AlertsMenu />
        {filled && (
          <Pager
            {...view}
            total={data.total}
            sizes={pageSizes}
            most={pageableRows}
            onPage={(page) => dispatch({ type: "set", page })}
            onPageSize={(pageSize) => dispatch({ type: "set", pageSize })}
          />
        )}
      </header>
      <div className="results-body">
        {filled && (
          <ResultsTable
            result={data}
            columns={shownColumns(data, view.query, info)}
            stale={results.status === "loading"}
          />
        )}
        {data && !filled && <NoResults />}
        {failed && <FailedQuery error={results.error} />}
        {!data && !failed && <Loading />}
      </div>
    </section>
  );
}

/** The actions on the ticked rows. */
function SelectionBar() {
  const { snapshot, model } = useDiscover();
  const selected = snapshot.selected.length;
  return (
    <div className="row selection" role="group" aria-label="Selected rows">
      <span className="count">{num(selected)} selected</span>
      <AskButton question={`Explain ${SELECTED_ROWS}`}>Ask about {selected === 1 ? "it" : "them"}</AskButton>
      <IconButton icon="cross" label="Clear selection" size={14} onClick={() => model.selectRows([])} />
    </div>
  );
}

const removeLabels = { filter: "Switch off", time: "Show whole log", query: "Show all requests" };

/** Nothing matched: lists what narrows the view, and how much each part keeps out. */
function NoResults() {
  const { snapshot, dispatch } = useDiscover();
  const { hints } = snapshot;
  const narrow = hints.some(({ kind }) => kind !== "query");
  return (
    <State
      title="No results"
      text={hints.length > 0 ? "No request fits all of these at once:" : "The log holds no requests."}
      actions={
        <>
          {narrow && (
            <Button onClick={() => dispatch({ type: "clear-narrowing" })}>Clear filters and time range</Button>
          )}
          <AskButton question="Why are there no results?">Ask why</AskButton>
        </>
      }
    >
      <ul className="hints">
        {hints.map(({ kind, label, matched, remove }) => (
          <li key={`${kind} ${label}`} className="hint" data-helps={Boolean(matched) || undefined}>
            <small>{kind}</small>
            <code className="ellipsis" title={label}>
              {label}
            </code>
            <span className="count">{matched !== undefined && `${num(matched)} without it`}</span>
            <Button kind="quiet" onClick={() => dispatch(remove)}>
              {removeLabels[kind]}
            </Button>
          </li>
        ))}
      </ul>
    </State>
  );
}

/** The query could not be run: because of its text, or because the server did not answer. */
function FailedQuery({ error }: { error: HttpError }) {
  const { model, dispatch } = useDiscover();
  if (error.code !== "ppl_error") return <Failed what="results" error={error} retry={model.refresh} />;
  return (
    <State
      bad
      title="This query cannot be run"
      text={error.message}
      actions={
        <>
          <Button onClick={() => dispatch({ type: "run", query: "" })}>Show all requests</Button>
          <AskButton question="What is wrong with this query?">Ask what is wrong</AskButton>
        </>
      }
    />
  );
}
