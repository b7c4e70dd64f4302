import { usePayload } from "@pageside/react";
import { Link, navigate } from "../shell/location.tsx";
import { AskButton } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { PageState } from "../ui/State.tsx";
import { useLoad } from "../ui/hooks.ts";
import { researchApi } from "./api.ts";
import { Kinds } from "./tables.tsx";
import { looks } from "./cards.tsx";
import { OutsideLink, usePlace, useShown } from "./parts.tsx";
import type { Payloads } from "./payloads.ts";
import { paths } from "./routes.ts";
import { destination } from "./scenarios.ts";
import { plainTitle } from "./text.ts";
import type { Article } from "./types.ts";

/** The stream in which a suggested query is tried. */
const firstStream = "1";

/** One article in full. */
export function ArticlePage({ pmid }: { pmid: string }) {
  const { data: article, error, reload } = useLoad(pmid, (signal) => researchApi.article(pmid, signal));
  useShown("Research: article", article && contextOf(article));
  usePlace({ page: "article" }, article !== undefined);
  usePayload<Payloads["query_suggestion"]>("query_suggestion", {
    ...looks.query_suggestion,
    acceptLabel: "Search with it",
    accept: ({ query }) =>
      navigate(`${paths.stream(firstStream, "execute")}?${new URLSearchParams({ q: query }).toString()}`),
  });
  if (error || !article) return <PageState what="article" error={error} retry={reload} />;
  return <ArticleView {...article} />;
}

function contextOf({ pmid, title, authors, journal, date, types, mesh, nct, trial, abstract }: Article) {
  return { pmid, title, authors, journal, date, types, mesh, nct: nct ?? trial?.nct, abstract };
}

function ArticleView(article: Article) {
  const { pmid, title, mesh, abstract, trial } = article;
  return (
    <article className="panel form article">
      <title>{`${plainTitle(title)} · Research`}</title>
      <ArticleHeader {...article} />
      <div className="row">
        <AskButton question="Summarise this article">Summarise</AskButton>
        <AskButton question="Find similar articles">Find similar</AskButton>
        <OutsideLink href={`https://pubmed.ncbi.nlm.nih.gov/${encodeURIComponent(pmid)}/`}>PubMed</OutsideLink>
      </div>
      {trial && (
        <p className="well row">
          <Icon name="flask" />
          <span>
            Reports on{" "}
            <Link href={destination({ page: "trials", nct: trial.nct })} className="quiet-link">
              {trial.nct}: {trial.title}
            </Link>
          </span>
        </p>
      )}
      <section>
        <h2>Abstract</h2>
        {abstract ? (
          <p className="abstract">{abstract}</p>
        ) : (
          <p className="muted">
            The library has no abstract of this article: PubMed shows it where its publisher allows.
          </p>
        )}
      </section>
      {mesh.length > 0 && (
        <section>
          <h2>MeSH headings</h2>
          <ul className="row">
            {mesh.map((heading) => (
              <li key={heading} className="badge">
                {heading}
              </li>
            ))}
          </ul>
        </section>
      )}
    </article>
  );
}

function ArticleHeader({ pmid, title, authors, journal, date, types }: Article) {
  return (
    <header className="stack tight">
      <p className="row small">
        <button type="button" className="quiet-link" onClick={() => history.back()}>
          ‹ Back
        </button>
        <span className="muted mono">PMID {pmid}</span>
      </p>
      <h1>{plainTitle(title)}</h1>
      <p>{authors.join(", ")}</p>
      <p className="muted">
        {journal} · {date}
      </p>
      <Kinds types={types} most={8} />
    </header>
  );
}
