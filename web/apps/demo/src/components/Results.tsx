import { useMemo } from "react";
import { useDiscover } from "../app/discover-context.ts";
import { shownColumns } from "../state/results.ts";
import { pageableRows, pageSizes } from "../state/view.ts";
import { AlertsMenu } from "./AlertsMenu.tsx";
import { ColumnsMenu } from "./ColumnsMenu.tsx";
import { EmptyState } from "./EmptyState.tsx";
import { FailedState } from "./FailedState.tsx";
import { Pager } from "./Pager.tsx";
import { ResultsTable } from "./ResultsTable.tsx";
import { SavedQueriesMenu } from "./SavedQueriesMenu.tsx";
import { SelectionBar } from "./SelectionBar.tsx";
import { TableSkeleton } from "./TableSkeleton.tsx";
import "./results.css";

/** The result of the query: its size, its rows, and what there is instead of them. */
export function Results() {
  const { snapshot, dispatch } = useDiscover();
  const { results, info } = snapshot;
  const { data } = results;
  const { query, columns: chosen, page, pageSize } = snapshot.view;
  // The same columns as long as they are the same: every row of the table hangs on them.
  const columns = useMemo(
    () => (data ? shownColumns(data, { query, columns: chosen }, info) : []),
    [data, query, chosen, info],
  );
  const failed = results.status === "error";
  const empty = !failed && data !== null && data.total === 0;
  const filled = !failed && data !== null && data.total > 0;

  return (
    <section className="panel results-panel" aria-label="Results" aria-busy={results.status === "loading"}>
      <header className="results-head">
        <h2 className="results-title">{data?.kind === "table" && !failed ? "Table" : "Requests"}</h2>
        {filled && data.total <= pageSizes[0] && (
          <p className="results-count">
            {data.total.toLocaleString("en")} {data.total === 1 ? "row" : "rows"}
          </p>
        )}
        <SelectionBar />
        <span className="spring" />
        <SavedQueriesMenu />
        <AlertsMenu />
        {filled && data.kind === "rows" && <ColumnsMenu result={data} shown={columns} />}
        {filled && (
          <Pager
            page={page}
            pageSize={pageSize}
            total={data.total}
            sizes={pageSizes}
            most={pageableRows}
            onPage={(to) => dispatch({ type: "set-page", page: to })}
            onPageSize={(size) => dispatch({ type: "set-page-size", pageSize: size })}
          />
        )}
      </header>
      <div className="results-body">
        {filled && <ResultsTable result={data} columns={columns} stale={results.status === "loading"} />}
        {empty && <EmptyState />}
        {failed && <FailedState error={results.error} />}
        {!data && results.status === "loading" && <TableSkeleton />}
      </div>
    </section>
  );
}
