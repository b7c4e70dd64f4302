import { usePayload, type DeepPartial } from "@pageside/react";
import type { ReactNode } from "react";
import { Link } from "../shell/location.tsx";
import { useChartPayload } from "../ui/ChartPayload.tsx";
import { Icon } from "../ui/Icon.tsx";
import { count, num } from "../ui/text.ts";
import { BarList } from "./BarList.tsx";
import { describeFilters } from "./filters.ts";
import type {
  ColumnSuggestion,
  FilterSuggestion,
  Proposal,
  QuerySuggestion,
  ReportComparison,
  RetrievalProposal,
  SchemaProposal,
  SearchResults,
  TrialSearchSuggestion,
} from "./payloads.ts";
import { paths } from "./routes.ts";
import { fieldTypes, plainTitle } from "./text.ts";
import { describeForm } from "./trial-view.ts";
import type { ArticleBrief, SchemaField, Validation } from "./types.ts";

/*
 * How payloads look inside their cards. They are also drawn while they stream, so any part may be
 * missing.
 */

interface View<Data> {
  data: DeepPartial<Data>;
}

/**
 * Draws the cards on every page, so that a conversation keeps its look when the user navigates. A
 * page that can apply a card registers its own handler, which takes precedence.
 */
export function CardLooks() {
  usePayload<SearchResults>("pubmed_search_results", { title: "Articles", render: SearchResultsView });
  usePayload<Validation>("validation_results", { title: "Check of the stream", render: ValidationView });
  usePayload<ReportComparison>("report_comparison", { title: "Two reports compared", render: ComparisonView });
  useChartPayload();
  usePayload<SchemaProposal>("schema_proposal", looks.schema);
  usePayload<RetrievalProposal>("retrieval_proposal", looks.retrieval);
  usePayload<QuerySuggestion>("query_suggestion", looks.query);
  usePayload<FilterSuggestion>("filter_suggestion", looks.filter);
  usePayload<ColumnSuggestion>("ai_column_suggestion", looks.column);
  usePayload<TrialSearchSuggestion>("trial_search_suggestion", looks.trials);
  return null;
}

/** The looks of acceptable cards, for the pages that apply them. */
export const looks = {
  schema: { title: "Proposed schema", acceptedLabel: "Schema changed", render: SchemaView },
  retrieval: { title: "Proposed retrieval", acceptedLabel: "Retrieval changed", render: RetrievalView },
  query: { title: "Suggested query", acceptedLabel: "Query applied", render: QueryView },
  filter: { title: "Suggested filters", acceptedLabel: "Filters applied", render: FilterView },
  column: { title: "Suggested column", acceptedLabel: "Column added", render: ColumnView },
  trials: { title: "Suggested trial search", acceptedLabel: "Search applied", render: TrialSearchView },
};

function SearchResultsView({ data: { query, total, articles = [] } }: View<SearchResults>) {
  return (
    <div className="card">
      <Query text={query} />
      {total !== undefined && (
        <p>
          <strong>{count(total, "article")}</strong>
          <span className="muted"> in the library</span>
        </p>
      )}
      <ArticleList articles={articles} total={total} />
    </div>
  );
}

const Query = ({ text }: { text?: string }) => text && <code className="well card-query">{text}</code>;

const shownInCard = 3;

/** The first articles, as links. */
export function ArticleList({ articles, total = articles.length }: ArticleListProps) {
  const whole = (articles as readonly ArticleBrief[]).filter(({ pmid, title }) => pmid && title);
  const shown = whole.slice(0, shownInCard);
  return (
    <>
      <ul className="card-articles">
        {shown.map(({ pmid, title, journal, date }) => (
          <li key={pmid}>
            <Link href={paths.article(pmid)}>{plainTitle(title)}</Link>
            <small>{[journal, date].filter(Boolean).join(" · ")}</small>
          </li>
        ))}
      </ul>
      {total > shown.length && <p className="muted">and {num(total - shown.length)} more</p>}
    </>
  );
}

interface ArticleListProps {
  articles: readonly Partial<ArticleBrief>[];
  total?: number;
}

interface ProposalProps extends Proposal {
  what?: string;
  children: ReactNode;
}

/** What is proposed, why, and "41 articles, 19 fewer than now". */
function ProposalView({ explanation, total, currentTotal, what = "article", children }: ProposalProps) {
  const change = total === undefined || currentTotal === undefined ? 0 : total - currentTotal;
  return (
    <div className="card">
      {children}
      {explanation && <p className="muted">{explanation}</p>}
      {total !== undefined && (
        <p>
          <strong>{count(total, what)}</strong>
          {change !== 0 && (
            <span className="muted">
              , {num(Math.abs(change))} {change > 0 ? "more" : "fewer"} than now
            </span>
          )}
        </p>
      )}
    </div>
  );
}

function QueryView({ data }: View<QuerySuggestion>) {
  return (
    <ProposalView {...data}>
      <Query text={data.query} />
    </ProposalView>
  );
}

function FilterView({ data }: View<FilterSuggestion>) {
  return <ProposalView {...data}>{data.filters && <Parts parts={describeFilters(data.filters)} />}</ProposalView>;
}

function Parts({ parts, none = "No filters" }: { parts: readonly string[]; none?: string }) {
  return (
    <ul className="card-parts">
      {(parts.length > 0 ? parts : [none]).map((part) => (
        <li key={part}>{part}</li>
      ))}
    </ul>
  );
}

function RetrievalView({ data }: View<RetrievalProposal>) {
  const { query, filters, maxResults, reasoning } = data;
  return (
    <ProposalView {...data} explanation={reasoning}>
      <Query text={query} />
      {filters && <Parts parts={describeFilters(filters)} />}
      {maxResults !== undefined && <p className="muted">At most {count(maxResults, "article")}</p>}
    </ProposalView>
  );
}

function SchemaView({ data: { proposed_changes: changes = {}, confidence, reasoning } }: View<SchemaProposal>) {
  return (
    <div className="card">
      <ul className="card-changes">
        {changes.add?.map((field) => (
          <FieldChange key={`+${field.key}`} sign="plus" field={field} />
        ))}
        {changes.change?.map((field) => (
          <FieldChange key={`~${field.key}`} sign="undo" field={field} />
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
      {confidence && <small>Confidence: {confidence}</small>}
    </div>
  );
}

function FieldChange({ sign, field }: { sign: "plus" | "undo"; field: Partial<SchemaField> }) {
  const { key, label, type, description, options = [] } = field;
  return (
    <li data-sign={sign}>
      <Icon name={sign} size={13} />
      <span>
        <span className="sr-only">{sign === "plus" ? "Add " : "Change "}</span>
        <strong>{label ?? key}</strong> {type && <span className="badge">{fieldTypes[type] ?? type}</span>}
        <span className="card-description">{description}</span>
        <span className="card-description">{options.join(", ")}</span>
      </span>
    </li>
  );
}

const checkIcons = { ok: "check", warning: "alert", error: "cross" } as const;

function ValidationView({ data: { valid, articles, checks = [], coverage = [] } }: View<Validation>) {
  return (
    <div className="card">
      {valid !== undefined && (
        <p>
          <strong>{valid ? "The stream works" : "The stream has problems"}</strong>
          {articles !== undefined && <span className="muted">, it finds {count(articles, "article")}</span>}
        </p>
      )}
      <ul className="card-changes">
        {checks.map(({ id, status, label, message }) => (
          <li key={id} data-sign={status}>
            <Icon name={checkIcons[status ?? "warning"] ?? "alert"} size={14} />
            <span>
              <strong>{label}</strong> <span className="muted">{message}</span>
            </span>
          </li>
        ))}
      </ul>
      {coverage.length > 0 && (
        <BarList
          title="Columns with a value"
          bars={coverage.map(({ name = "", filled = 0 }) => ({ label: name, value: filled }))}
          of={coverage[0]?.total ?? 1}
        />
      )}
    </div>
  );
}

function ColumnView({ data: { name, criteria, type, filter, explanation } }: View<ColumnSuggestion>) {
  return (
    <div className="card">
      <p>
        {name && <strong>{name}</strong>} {type && <span className="badge">{fieldTypes[type] ?? type}</span>}{" "}
        {filter && <span className="badge">Filters the rows</span>}
      </p>
      {criteria && <p>{criteria}</p>}
      {explanation && <p className="muted">{explanation}</p>}
    </div>
  );
}

function TrialSearchView({ data }: View<TrialSearchSuggestion>) {
  return (
    <ProposalView {...data} what="trial">
      {data.form && <Parts parts={describeForm(data.form)} none="All trials" />}
    </ProposalView>
  );
}

function ComparisonView({ data }: View<ReportComparison>) {
  const { left, right, kept = 0, added = [], removed = [] } = data;
  const { addedTotal = added.length, removedTotal = removed.length } = data;
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
        {Object.entries({ new: addedTotal, "in both": kept, gone: removedTotal }).map(([label, value]) => (
          <div key={label} className="well">
            <dt>{label}</dt>
            <dd>{num(value)}</dd>
          </div>
        ))}
      </dl>
      <details open>
        <summary>New articles</summary>
        <ArticleList articles={added} total={addedTotal} />
      </details>
      <details>
        <summary>No longer there</summary>
        <ArticleList articles={removed} total={removedTotal} />
      </details>
    </div>
  );
}
