import { Icon } from "../../components/Icon.tsx";
import { Link } from "../../shell/Link.tsx";
import { paths } from "../routes.ts";
import type { ArticleBrief, Column, ColumnValue, ColumnValues } from "../types.ts";
import { authorLine, plainTitle } from "./text.ts";

/** Values of a column by row id; absent while they are being computed. */
export type Values = ReadonlyMap<string, ColumnValues>;

interface ArticleTableProps {
  label: string;
  articles: readonly ArticleBrief[];
  stale?: boolean;
  columns?: readonly Column[];
  values?: Values;
  selection?: Selection;
}

export interface Selection {
  ids: readonly string[];
  toggle(id: string): void;
  set(ids: readonly string[]): void;
}

/**
 * Articles as rows: what they are about first, then when and of which kind, then what the
 * assistant's columns say.
 */
export function ArticleTable({ label, articles, stale, columns = [], values, selection }: ArticleTableProps) {
  return (
    <div className="table-scroll" tabIndex={0} role="group" aria-label={label}>
      <table className="rows" data-stale={stale || undefined}>
        <thead>
          <tr>
            {selection && <SelectAll ids={articles.map(({ pmid }) => pmid)} selection={selection} />}
            <th className="col-title">Article</th>
            <th className="col-date">Date</th>
            <th className="col-types">Type</th>
            {columns.map((column) => (
              <ColumnHead key={column.name} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {articles.map((article) => (
            <tr key={article.pmid} data-selected={selection?.ids.includes(article.pmid) || undefined}>
              {selection && <SelectCell id={article.pmid} title={plainTitle(article.title)} selection={selection} />}
              <td className="col-title">
                <Link href={paths.article(article.pmid)} className="row-title">
                  {plainTitle(article.title)}
                </Link>
                <span className="row-sub">
                  {[authorLine(article.authors), article.journal].filter(Boolean).join(" · ")}
                </span>
              </td>
              <td className="col-date">{article.date}</td>
              <td className="col-types">
                <Kinds types={article.types} />
              </td>
              {columns.map((column) => (
                <ValueCell key={column.name} column={column} value={values?.get(column.name)?.[article.pmid]} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What kind of article it is; that it is one in a journal says nothing. */
export function Kinds({ types, most = 2 }: { types: readonly string[]; most?: number }) {
  const telling = types.filter((type) => type !== "Journal Article");
  return (
    <span className="kinds">
      {telling.slice(0, most).map((type) => (
        <span key={type} className="badge">
          {type}
        </span>
      ))}
      {telling.length > most && (
        <span className="muted" title={telling.slice(most).join(", ")}>
          +{telling.length - most}
        </span>
      )}
    </span>
  );
}

export function ColumnHead({ column }: { column: Column }) {
  return (
    <th className="col-ai" title={column.criteria}>
      <span className="ai-head">
        <Icon name="sparkle" size={12} />
        {column.name}
      </span>
    </th>
  );
}

export function ValueCell({ column, value }: { column: Column; value: ColumnValue | undefined }) {
  return (
    <td className="col-ai" data-name={column.name} data-type={column.type}>
      {value === undefined ? <span className="value-wait" /> : <Value value={value} />}
    </td>
  );
}

function Value({ value }: { value: ColumnValue }) {
  if (value === null) return <span className="muted">–</span>;
  if (value === true) return <span className="value-yes">Yes</span>;
  if (value === false) return <span className="muted">No</span>;
  return <span title={String(value)}>{String(value)}</span>;
}

export function SelectAll({ ids, selection }: { ids: readonly string[]; selection: Selection }) {
  const chosen = ids.filter((id) => selection.ids.includes(id)).length;
  const all = chosen === ids.length && ids.length > 0;
  return (
    <th className="col-check">
      <input
        type="checkbox"
        aria-label="Select all rows on this page"
        checked={all}
        ref={(box) => {
          if (box) box.indeterminate = chosen > 0 && !all;
        }}
        onChange={() => {
          const others = selection.ids.filter((id) => !ids.includes(id));
          selection.set(all ? others : [...others, ...ids]);
        }}
      />
    </th>
  );
}

export function SelectCell({ id, title, selection }: { id: string; title: string; selection: Selection }) {
  return (
    <td className="col-check">
      <input
        type="checkbox"
        aria-label={`Select ${title}`}
        checked={selection.ids.includes(id)}
        onChange={() => selection.toggle(id)}
      />
    </td>
  );
}
