import { PayloadChart } from "@pageside/react";
import { Icon, type IconName } from "../../components/Icon.tsx";
import { Link } from "../../shell/Link.tsx";
import { paths } from "../routes.ts";
import { describeFilters } from "../state/filters.ts";
import { describeForm } from "../state/trial-labels.ts";
import type { ArticleBrief, SchemaField } from "../types.ts";
import { BarList } from "../ui/BarList.tsx";
import { count, fieldTypes, num, plainTitle } from "../ui/text.ts";
import type {
  ChartData,
  ColumnSuggestion,
  FilterSuggestion,
  QuerySuggestion,
  ReportComparison,
  RetrievalProposal,
  SchemaProposal,
  SearchResults,
  TrialSearchSuggestion,
  Validation,
} from "./payloads.ts";

/*
 * How the payloads look inside their cards. Each is drawn also while it is written, so any part may
 * be missing.
 */

interface View<Data> {
  data: Partial<Data>;
}

const shownInCard = 3;

export function SearchResultsView({ data: { query, total, articles = [], source, notes = [] } }: View<SearchResults>) {
  return (
    <div className="card">
      {query ? <code className="card-query">{query}</code> : <p className="muted">All articles</p>}
      {total !== undefined && (
        <p>
          <strong>{count(total, "article")}</strong>
          <span className="muted"> in {source === "pubmed" ? "PubMed" : "the library"}</span>
        </p>
      )}
      {notes.map((note) => (
        <p key={note} className="muted">
          {note}
        </p>
      ))}
      <ArticleList articles={articles} total={total} open={source !== "pubmed"} />
    </div>
  );
}

function ArticleList({ articles, total, open = true }: { articles: ArticleBrief[]; total?: number; open?: boolean }) {
  const shown = articles.filter(({ pmid, title }) => pmid && title).slice(0, shownInCard);
  const more = (total ?? articles.length) - shown.length;
  if (shown.length === 0) return null;
  return (
    <>
      <ul className="card-articles">
        {shown.map(({ pmid, title, journal, date }) => (
          <li key={pmid}>
            {open ? <Link href={paths.article(pmid)}>{plainTitle(title)}</Link> : <span>{plainTitle(title)}</span>}
            <span className="muted">{[journal, date].filter(Boolean).join(" · ")}</span>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="muted">and {num(more)} more</p>}
    </>
  );
}

/** "41 articles, 19 fewer than now". */
function Counted({ total, currentTotal, what = "article" }: { total?: number; currentTotal?: number; what?: string }) {
  if (total === undefined) return null;
  const change = currentTotal === undefined ? 0 : total - currentTotal;
  return (
    <p>
      <strong>{count(total, what)}</strong>
      {change !== 0 && (
        <span className="muted">
          , {num(Math.abs(change))} {change > 0 ? "more" : "fewer"} than now
        </span>
      )}
    </p>
  );
}

export function QueryView({ data: { query, explanation, total, currentTotal } }: View<QuerySuggestion>) {
  return (
    <div className="card">
      {query !== undefined && <code className="card-query">{query}</code>}
      {explanation && <p className="muted">{explanation}</p>}
      <Counted total={total} currentTotal={currentTotal} />
    </div>
  );
}

export function FilterView({ data: { filters, explanation, total, currentTotal } }: View<FilterSuggestion>) {
  return (
    <div className="card">
      {filters && <Parts parts={describeFilters(filters)} none="No filters" />}
      {explanation && <p className="muted">{explanation}</p>}
      <Counted total={total} currentTotal={currentTotal} />
    </div>
  );
}

function Parts({ parts, none }: { parts: readonly string[]; none: string }) {
  if (parts.length === 0) return <p>{none}</p>;
  return (
    <ul className="card-parts">
      {parts.map((part) => (
        <li key={part}>{part}</li>
      ))}
    </ul>
  );
}

export function RetrievalView({
  data: { query, filters, maxResults, reasoning, total, currentTotal },
}: View<RetrievalProposal>) {
  return (
    <div className="card">
      {query !== undefined && <code className="card-query">{query}</code>}
      {filters && <Parts parts={describeFilters(filters)} none="No filters" />}
      {maxResults !== undefined && <p className="muted">At most {count(maxResults, "article")}</p>}
      {reasoning && <p className="muted">{reasoning}</p>}
      <Counted total={total} currentTotal={currentTotal} />
    </div>
  );
}

export function SchemaView({ data: { proposed_changes: changes = {}, confidence, reasoning } }: View<SchemaProposal>) {
  return (
    <div className="card">
      <ul className="card-changes">
        {changes.add?.map((field) => (
          <FieldChange key={`+${field.key}`} sign="plus" field={field} />
        ))}
        {changes.change?.map((field) => (
          <FieldChange key={`~${field.key}`} sign="compare" field={field} />
        ))}
        {changes.remove?.map((key) => (
          <li key={`-${key}`} data-sign="minus">
            <Icon name="minus" size={13} />
            <span>
              <span className="sr-only">Remove </span>
              <s className="mono">{key}</s>
            </span>
          </li>
        ))}
      </ul>
      {reasoning && <p className="muted">{reasoning}</p>}
      {confidence && <p className="card-confidence">Confidence: {confidence}</p>}
    </div>
  );
}

function FieldChange({ sign, field }: { sign: "plus" | "compare"; field: Partial<SchemaField> }) {
  const { key, label, type, description, options } = field;
  return (
    <li data-sign={sign}>
      <Icon name={sign === "plus" ? "plus" : "undo"} size={13} />
      <span>
        <span className="sr-only">{sign === "plus" ? "Add " : "Change "}</span>
        <strong>{label ?? key}</strong> {type && <span className="badge">{fieldTypes[type] ?? type}</span>}
        {description && <span className="card-description">{description}</span>}
        {options && options.length > 0 && <span className="card-description">{options.join(", ")}</span>}
      </span>
    </li>
  );
}

const checkIcons: Record<string, IconName> = { ok: "check", warning: "alert", error: "cross" };

export function ValidationView({ data: { valid, articles, checks = [], coverage = [] } }: View<Validation>) {
  return (
    <div className="card">
      {valid !== undefined && (
        <p>
          <strong>{valid ? "The stream works" : "The stream has problems"}</strong>
          {articles !== undefined && <span className="muted">, it finds {count(articles, "article")}</span>}
        </p>
      )}
      <ul className="card-checks">
        {checks.map(({ id, status, label, message }) => (
          <li key={id} data-status={status}>
            <Icon name={checkIcons[status] ?? "help"} size={14} />
            <span>
              <strong>{label}</strong> <span className="muted">{message}</span>
            </span>
          </li>
        ))}
      </ul>
      {coverage.length > 0 && (
        <BarList
          title="Columns with a value"
          bars={coverage.map(({ name, filled }) => ({ label: name, value: filled }))}
          of={coverage[0]?.total}
        />
      )}
    </div>
  );
}

export function ColumnView({ data: { name, criteria, type, match, filter, explanation } }: View<ColumnSuggestion>) {
  return (
    <div className="card">
      <p>
        {name && <strong>{name}</strong>} {type && <span className="badge">{fieldTypes[type] ?? type}</span>}{" "}
        {filter && <span className="badge">Filters the rows</span>}
      </p>
      {criteria && <p>{criteria}</p>}
      {match?.any && (
        <p className="muted">
          Looks in {match.field === "any" ? "everything" : match.field} for {match.any.join(", ")}
        </p>
      )}
      {explanation && <p className="muted">{explanation}</p>}
    </div>
  );
}

export function TrialSearchView({ data: { form, explanation, total, currentTotal } }: View<TrialSearchSuggestion>) {
  return (
    <div className="card">
      {form && <Parts parts={describeForm(form)} none="All trials" />}
      {explanation && <p className="muted">{explanation}</p>}
      <Counted total={total} currentTotal={currentTotal} what="trial" />
    </div>
  );
}

export function ComparisonView({ data }: View<ReportComparison>) {
  const {
    left,
    right,
    kept,
    added = [],
    removed = [],
    addedTotal = added.length,
    removedTotal = removed.length,
  } = data;
  return (
    <div className="card">
      {left && right && (
        <p>
          <strong>{left.name}</strong>
          <span className="muted"> → </span>
          <strong>{right.name}</strong>
        </p>
      )}
      <dl className="card-numbers">
        <Figure label="new" value={addedTotal} />
        <Figure label="in both" value={kept} />
        <Figure label="gone" value={removedTotal} />
      </dl>
      {added.length > 0 && (
        <details open>
          <summary>New articles</summary>
          <ArticleList articles={added} total={addedTotal} />
        </details>
      )}
      {removed.length > 0 && (
        <details>
          <summary>No longer there</summary>
          <ArticleList articles={removed} total={removedTotal} />
        </details>
      )}
    </div>
  );
}

function Figure({ label, value }: { label: string; value: number | undefined }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value === undefined ? "–" : num(value)}</dd>
    </div>
  );
}

export function ChartView({ data: { type = "bar", data = [], unit, note } }: View<ChartData>) {
  return (
    <>
      <PayloadChart type={type} data={data} unit={unit} />
      {note && <p className="muted">{note}</p>}
    </>
  );
}
