import { useDynamicContext, usePageContext, type DynamicContext, type PageContext } from "@pageside/react";
import { useState, type ReactNode } from "react";
import { useArrival } from "../shell/arrival.ts";
import { HttpError } from "../shell/http.ts";
import { Link } from "../shell/location.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Pager as AnyPager } from "../ui/Pager.tsx";
import { Failed, Loading } from "../ui/State.tsx";
import type { Loaded as LoadedData } from "../ui/hooks.ts";
import { num } from "../ui/text.ts";
import { pageSizes } from "./article-view.ts";
import type { Paging } from "./types.ts";

/**
 * Tells the assistant which page is open. A question that waits for the page is asked when it is
 * ready, so this comes after what tells the assistant what the page shows.
 */
export function usePlace(place: PageContext, ready: boolean): void {
  usePageContext({ ...place, description: "Address in Research" });
  useArrival(ready);
}

/** Tells the assistant what a page shows. */
export function useShown(description: string, value: DynamicContext["value"], more?: Partial<DynamicContext>): void {
  useDynamicContext({ description, source: "Research", value, ...more });
}

/** Tells the assistant which rows are selected, which the user can mention. */
export function useSelected(what: "articles" | "trials", rows: DynamicContext["value"]): void {
  useShown(`Selected ${what}`, rows, { label: `@selected-${what}` });
}

/** What the user makes of a value, until it changes elsewhere: by a card, or by going back. */
export function useEdited<T>(value: T) {
  const text = JSON.stringify(value);
  const [edited, setEdited] = useState({ text, value });
  if (edited.text !== text) setEdited({ text, value });
  return [edited.value, (next: T) => setEdited({ text, value: next })] as const;
}

interface PageHeadProps {
  title: string;
  /** Where it belongs. */
  crumb?: { label: string; href: string };
  text?: ReactNode;
  children?: ReactNode;
}

/** The head of a page. Also sets the document's title. */
export function PageHead({ title, crumb, text, children }: PageHeadProps) {
  return (
    <header className="row page-head">
      <title>{`${title} · Research`}</title>
      <div>
        {crumb && (
          <p className="small">
            <Link href={crumb.href} className="quiet-link">
              {crumb.label}
            </Link>
          </p>
        )}
        <h1>{title}</h1>
        {text && <p className="muted">{text}</p>}
      </div>
      {children}
    </header>
  );
}

/** A link to another site. */
export const OutsideLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <a className="button" href={href} target="_blank" rel="noreferrer">
    {children}
    <Icon name="external" size={13} />
  </a>
);

interface Tab {
  href: string;
  label: string;
  current: boolean;
  count?: number;
}

/** Views of one thing, each with an address of its own. */
export function Tabs({ label, tabs, small = false }: { label: string; tabs: readonly Tab[]; small?: boolean }) {
  return (
    <nav className="tabs" data-small={small || undefined} aria-label={label}>
      {tabs.map(({ label: name, href, current, count }) => (
        <Link key={href} href={href} className="tab" aria-current={current ? "page" : undefined}>
          {name}
          {count !== undefined && <span className="badge">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}

interface LoadedProps<T> extends LoadedData<T> {
  /** What it is called where it could not be loaded. */
  what: string;
  children(data: T): ReactNode;
}

/** What was loaded, or what is shown instead of it. */
export function Loaded<T>({ what, data, error, reload, children }: LoadedProps<T>) {
  if (error) return <Failed what={what} error={error} retry={reload} />;
  return data === undefined ? <Loading /> : children(data);
}

interface ResultsProps {
  label: string;
  busy?: boolean;
  /** How many rows there are; absent until it is known. */
  title?: string;
  selected?: readonly string[];
  /** Beside the title: what changes which rows are shown. */
  tools?: ReactNode;
  children: ReactNode;
}

/** A panel with rows, or what is shown instead of them. */
export function Results({ label, busy, title, selected = [], tools, children }: ResultsProps) {
  return (
    <section className="panel results-panel" aria-label={label} aria-busy={busy}>
      {title && (
        <header className="results-head">
          <h2 className="results-title">{title}</h2>
          {selected.length > 0 && <span className="badge">{num(selected.length)} selected</span>}
          <span className="spring" />
          {tools}
        </header>
      )}
      {children}
    </section>
  );
}

/** Which part of a list is shown. */
type Part = Pick<Paging<string>, "page" | "pageSize">;

interface PagerProps extends Part {
  total: number;
  onChange(change: Partial<Part>): void;
}

/** The pager with the page sizes of Research. */
export const Pager = ({ page, pageSize, total, onChange }: PagerProps) => (
  <AnyPager
    page={page}
    pageSize={pageSize}
    total={total}
    sizes={pageSizes}
    onPage={(to) => onChange({ page: to })}
    onPageSize={(size) => onChange({ pageSize: size })}
  />
);

/** The rows of a page. */
export const pageOf = <Row,>(rows: readonly Row[], { page, pageSize }: Part) =>
  rows.slice((page - 1) * pageSize, page * pageSize);

/** The input of a search in PubMed's syntax. */
export const pubmed = { label: "PubMed query", placeholder: 'venetoclax[tiab] AND "Leukemia, Myeloid, Acute"[mh]' };

/** The error, where it is about the query. */
export const queryError = (error: Error | undefined) =>
  error instanceof HttpError && error.code === "pubmed_error" ? error : undefined;
