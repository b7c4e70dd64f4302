import { usePayload, type DeepPartial, type Payload } from "@pageside/react";
import type { ReactNode } from "react";
import { Link } from "../shell/location.tsx";
import { useChartPayload } from "../ui/ChartPayload.tsx";
import { Icon, type IconName } from "../ui/Icon.tsx";
import { count, num } from "../ui/text.ts";
import { BarList } from "./BarList.tsx";
import { describeFilters } from "./filters.ts";
import type { Payloads } from "./payloads.ts";
import { paths } from "./routes.ts";
import { fieldTypes, plainTitle } from "./text.ts";
import { describeForm } from "./trial-view.ts";
import type { ArticleBrief, SchemaField } from "./types.ts";

/*
 * How payloads look inside their cards. They are also drawn while they stream, so any part may be
 * missing.
 */

interface View<Type extends keyof Payloads> {
  data: DeepPartial<Payloads[Type]>;
}

/** How payloads look, by type. */
export const looks: { [Type in keyof Payloads]: Payload<Payloads[Type]> } = {
  pubmed_search_results: { title: "Articles", render: SearchResultsView },
  validation_results: { title: "Check of the stream", render: ValidationView },
  report_comparison: { title: "Two reports compared", render: ComparisonView },
  schema_proposal: { title: "Proposed schema", acceptedLabel: "Schema changed", render: SchemaView },
  retrieval_proposal: { title: "Proposed retrieval", acceptedLabel: "Retrieval changed", render: SearchView },
  query_suggestion: { title: "Suggested query", acceptedLabel: "Query applied", render: SearchView },
  filter_suggestion: { title: "Suggested filters", acceptedLabel: "Filters applied", render: SearchView },
  ai_column_suggestion: { title: "Suggested column", acceptedLabel: "Column added", render: ColumnView },
  trial_search_suggestion: { title: "Suggested trial search", acceptedLabel: "Search applied", render: SearchView },
};

/**
 * Draws the cards on every page, so that a conversation keeps its look when the user navigates. A
 * page that can apply a card registers its own handler, which takes precedence.
 */
export function CardLooks() {
  useChartPayload();
  return (Object.keys(looks) as (keyof Payloads)[]).map((type) => <CardLook key={type} type={type} />);
}

function CardLook<Type extends keyof Payloads>({ type }: { type: Type }) {
  usePayload<Payloads[Type]>(type, looks[type]);
  return null;
}

function SearchResultsView({ data: { query, total, articles = [] } }: View<"pubmed_search_results">) {
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
      <ul className="stack tight">
        {shown.map(({ pmid, title, journal, date }) => (
          <li key={pmid}>
            <Link href={paths.article(pmid)} className="quiet-link">
              {plainTitle(title)}
            </Link>
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

/** Every member that a proposed search may have. */
type AnySearch = DeepPartial<Payloads["retrieval_proposal"] & Pick<Payloads["trial_search_suggestion"], "form">>;

/** What is to be searched, why, and "41 articles, 19 fewer than now". */
function SearchView({ data }: { data: AnySearch }) {
  const { query, filters, form, maxResults, reasoning, explanation = reasoning, total, currentTotal } = data;
  const change = total === undefined || currentTotal === undefined ? 0 : total - currentTotal;
  return (
    <div className="card">
      <Query text={query} />
      {filters && <Parts parts={describeFilters(filters)} none="No filters" />}
      {form && <Parts parts={describeForm(form)} none="All trials" />}
      {maxResults !== undefined && <p className="muted">At most {count(maxResults, "article")}</p>}
      {explanation && <p className="muted">{explanation}</p>}
      {total !== undefined && (
        <p>
          <strong>{count(total, form ? "trial" : "article")}</strong>
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

function Parts({ parts, none }: { parts: readonly string[]; none: string }) {
  return (
    <ul className="row tight card-parts">
      {(parts.length > 0 ? parts : [none]).map((part) => (
        <li key={part}>{part}</li>
      ))}
    </ul>
  );
}

function SchemaView({ data: { proposed_changes: changes = {}, confidence, reasoning } }: View<"schema_proposal">) {
  const { add = [], change = [], remove = [] } = changes;
  return (
    <div className="card">
      <ul className="stack tight card-changes">
        {add.map((field) => (
          <Mark key={`+${field.key}`} sign="plus" word="Add">
            <FieldParts field={field} />
          </Mark>
        ))}
        {change.map((field) => (
          <Mark key={`~${field.key}`} sign="undo" word="Change">
            <FieldParts field={field} />
          </Mark>
        ))}
        {remove.map((key) => (
          <Mark key={`-${key}`} sign="minus" word="Remove">
            <s className="mono">{key}</s>
          </Mark>
        ))}
      </ul>
      {reasoning && <p className="muted">{reasoning}</p>}
      {confidence && <small>Confidence: {confidence}</small>}
    </div>
  );
}

/** An item of a list, with a sign whose colour says whether it is good. */
function Mark({ sign, word, children }: { sign: IconName; word?: string; children: ReactNode }) {
  return (
    <li data-sign={sign}>
      <Icon name={sign} size={13} />
      <span>
        {word && <span className="sr-only">{word} </span>}
        {children}
      </span>
    </li>
  );
}

function FieldParts({ field }: { field: Partial<SchemaField> }) {
  const { key, label = key, type, description, options = [] } = field;
  return (
    <>
      <strong>{label}</strong> {type && <span className="badge">{fieldTypes[type] ?? type}</span>}
      <small>{description}</small>
      <small>{options.join(", ")}</small>
    </>
  );
}

const checkIcons = { ok: "check", warning: "alert", error: "cross" } as const;

function ValidationView({ data: { valid, articles, checks = [], coverage = [] } }: View<"validation_results">) {
  return (
    <div className="card">
      {valid !== undefined && (
        <p>
          <strong>{valid ? "The stream works" : "The stream has problems"}</strong>
          {articles !== undefined && <span className="muted">, it finds {count(articles, "article")}</span>}
        </p>
      )}
      <ul className="stack tight card-changes">
        {checks.map(({ id, status, label, message }) => (
          <Mark key={id} sign={checkIcons[status ?? "warning"] ?? "alert"}>
            <strong>{label}</strong> <span className="muted">{message}</span>
          </Mark>
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

function ColumnView({ data: { name, criteria, type, filter, explanation } }: View<"ai_column_suggestion">) {
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

function ComparisonView({ data }: View<"report_comparison">) {
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
            <dt className="small">{label}</dt>
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
