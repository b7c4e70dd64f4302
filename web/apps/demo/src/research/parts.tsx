import type { ComponentProps, ReactNode } from "react";
import { HttpError } from "../shell/http.ts";
import { Link } from "../shell/location.tsx";
import { Pager as AnyPager } from "../ui/Pager.tsx";
import { pageSizes } from "./article-view.ts";

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
    <header className="page-head">
      <title>{`${title} · Research`}</title>
      <div>
        {crumb && (
          <p className="crumbs">
            <Link href={crumb.href}>{crumb.label}</Link>
          </p>
        )}
        <h1>{title}</h1>
        {text && <p className="muted">{text}</p>}
      </div>
      {children}
    </header>
  );
}

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

/** The pager with the page sizes of Research. */
export const Pager = (props: Omit<ComponentProps<typeof AnyPager>, "sizes">) => (
  <AnyPager {...props} sizes={pageSizes} />
);

/** The input of a search in PubMed's syntax. */
export const pubmed = { label: "PubMed query", placeholder: 'venetoclax[tiab] AND "Leukemia, Myeloid, Acute"[mh]' };

/** The error, where it is about the query. */
export const queryError = (error: Error | undefined) =>
  error instanceof HttpError && error.code === "pubmed_error" ? error : undefined;
