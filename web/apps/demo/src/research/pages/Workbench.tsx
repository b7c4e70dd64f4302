import { Icon } from "../../components/Icon.tsx";
import type { ArticleAction, ArticleView } from "../state/article-view.ts";
import type { Loaded } from "../state/use-load.ts";
import type { StreamDraft } from "../state/use-stream-draft.ts";
import type { ArticleBrief, ArticleResults, Column } from "../types.ts";
import { AddColumn } from "../ui/AddColumn.tsx";
import { ArticleTable, type Values } from "../ui/ArticleTable.tsx";
import { Pager } from "../ui/Pager.tsx";
import { Empty } from "../ui/States.tsx";
import { count, num } from "../ui/text.ts";
import { NoRows, SortPick } from "./ExecuteTab.tsx";

export interface WorkbenchRows {
  /** Those that the filter by a column leaves. */
  matching: readonly ArticleBrief[];
  /** Those of the page. */
  visible: readonly ArticleBrief[];
}

export function workbenchRows(
  articles: readonly ArticleBrief[],
  { only, page, pageSize }: Pick<ArticleView, "only" | "page" | "pageSize">,
  columns: readonly Column[],
  values: Values,
): WorkbenchRows {
  const meets = columns.some(({ name }) => name === only) ? values.get(only!) : undefined;
  const matching = meets ? articles.filter(({ pmid }) => meets[pmid] === true) : articles;
  return { matching, visible: matching.slice((page - 1) * pageSize, page * pageSize) };
}

interface WorkbenchProps {
  editor: StreamDraft;
  view: ArticleView;
  results: Loaded<ArticleResults>;
  rows: WorkbenchRows;
  values: Values;
  dispatch(action: ArticleAction): void;
}

/**
 * The result as a table to work in: columns that say for each article how it meets a criterion, and
 * a selection.
 */
export function Workbench({ editor, view, results, rows, values, dispatch }: WorkbenchProps) {
  const { draft } = editor;
  const { data, error, loading, reload } = results;
  const loaded = data?.articles.length ?? 0;
  const filled = !error && loaded > 0;
  return (
    <section className="panel results-panel" aria-label="Workbench" aria-busy={loading}>
      <header className="results-head wrap">
        <h2 className="results-title">
          {filled ? `${num(rows.matching.length)} of ${count(loaded, "article")}` : "Articles"}
        </h2>
        {data && data.total > loaded && (
          <span className="muted">
            the first {num(loaded)} of {num(data.total)}
          </span>
        )}
        {view.selected.length > 0 && (
          <button
            type="button"
            className="badge badge-button"
            title="Select none"
            onClick={() => dispatch({ type: "select", pmids: [] })}
          >
            {num(view.selected.length)} selected <Icon name="cross" size={11} />
          </button>
        )}
        <span className="spring" />
        {filled && <SortPick view={view} dispatch={dispatch} />}
        {filled && (
          <Pager
            {...view}
            total={rows.matching.length}
            onPage={(page) => dispatch({ type: "page", page })}
            onPageSize={(pageSize) => dispatch({ type: "page-size", pageSize })}
          />
        )}
      </header>
      <div className="column-bar" role="group" aria-label="AI columns">
        {draft.columns.map((column) => (
          <ColumnChip
            key={column.name}
            column={column}
            only={view.only === column.name}
            onOnly={(on) => dispatch({ type: "only", column: on ? column.name : null })}
            onRemove={() => {
              if (view.only === column.name) dispatch({ type: "only", column: null });
              editor.dispatch({ type: "remove-column", name: column.name });
            }}
          />
        ))}
        <AddColumn
          target="articles"
          taken={draft.columns.map(({ name }) => name)}
          onAdd={(column) => editor.dispatch({ type: "put-column", column })}
        />
      </div>
      {filled && rows.visible.length > 0 && (
        <ArticleTable
          label="Articles"
          articles={rows.visible}
          stale={loading}
          columns={draft.columns}
          values={values}
          selection={{
            ids: view.selected,
            toggle: (pmid) => dispatch({ type: "toggle", pmid }),
            set: (pmids) => dispatch({ type: "select", pmids }),
          }}
        />
      )}
      {filled && rows.visible.length === 0 && (
        <Empty title="No article meets it" text={`None of the ${num(loaded)} articles is a Yes in “${view.only}”.`}>
          <button type="button" className="button" onClick={() => dispatch({ type: "only", column: null })}>
            Show all
          </button>
        </Empty>
      )}
      <NoRows results={results} retry={reload} />
    </section>
  );
}

interface ColumnChipProps {
  column: Column;
  /** Are only rows shown that meet it? */
  only: boolean;
  onOnly(on: boolean): void;
  onRemove(): void;
}

export function ColumnChip({ column, only, onOnly, onRemove }: ColumnChipProps) {
  return (
    <span className="column-chip" data-on={only || undefined} title={column.criteria}>
      <Icon name="sparkle" size={12} />
      <span className="column-chip-name">{column.name}</span>
      {column.type === "yes_no" && (
        <button type="button" aria-pressed={only} onClick={() => onOnly(!only)} title="Show only the rows that meet it">
          <Icon name="filter" size={13} />
          <span className="sr-only">Only {column.name}</span>
        </button>
      )}
      <button type="button" onClick={onRemove} aria-label={`Remove the column ${column.name}`}>
        <Icon name="cross" size={13} />
      </button>
    </span>
  );
}
