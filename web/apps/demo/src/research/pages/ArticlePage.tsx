import { useDynamicContext, usePageContext, usePayload } from "@pageside/react";
import { AskButton } from "../../components/AskButton.tsx";
import { useArrival } from "../../shell/arrival.ts";
import { Glyph } from "../../shell/Glyph.tsx";
import { Link } from "../../shell/Link.tsx";
import { navigate } from "../../shell/location.ts";
import { useTitle } from "../../shell/shell-context.tsx";
import { looks } from "../assistant/CardLooks.tsx";
import type { QuerySuggestion } from "../assistant/payloads.ts";
import { researchApi } from "../api.ts";
import { paths } from "../routes.ts";
import { lastStream } from "../state/last-stream.ts";
import { encodeTrialView, startTrialView } from "../state/trial-view.ts";
import { useLoad } from "../state/use-load.ts";
import type { Article } from "../types.ts";
import { Kinds } from "../ui/ArticleTable.tsx";
import { plainTitle } from "../ui/text.ts";
import { PageState } from "../ui/States.tsx";

/** One article in full. */
export function ArticlePage({ pmid }: { pmid: string }) {
  const { data: article, error, reload } = useLoad(pmid, (signal) => researchApi.article(pmid, signal));
  useTitle(`${plainTitle(article?.title ?? "Article")} · Research`);
  usePageContext({ page: "article", description: "Address in Research" });
  useDynamicContext({ description: "Research: article", source: "Research", value: article && contextOf(article) });
  useArrival(article !== undefined);
  usePayload<QuerySuggestion>("query_suggestion", {
    ...looks.query,
    acceptLabel: "Search with it",
    accept: ({ query }) =>
      navigate(`${paths.stream(lastStream.read(), "execute")}?${new URLSearchParams({ q: query }).toString()}`),
  });
  if (error || !article) return <PageState what="article" error={error} retry={reload} />;
  return <ArticleView article={article} />;
}

function contextOf({ pmid, title, authors, journal, date, types, mesh, nct, trial, abstract }: Article) {
  return { pmid, title, authors, journal, date, types, mesh, nct: nct ?? trial?.nct, abstract };
}

function ArticleView({ article }: { article: Article }) {
  const { pmid, title, authors, journal, date, types, mesh, abstract, trial } = article;
  return (
    <article className="panel article">
      <header>
        <p className="crumbs">
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
      <div className="article-actions">
        <AskButton question="Summarise this article">Summarise</AskButton>
        <AskButton question="Find similar articles">Find similar</AskButton>
        <a
          className="button"
          href={`https://pubmed.ncbi.nlm.nih.gov/${encodeURIComponent(pmid)}/`}
          target="_blank"
          rel="noreferrer"
        >
          PubMed
          <Glyph name="external" size={13} />
        </a>
      </div>
      {trial && (
        <p className="article-trial">
          <Glyph name="flask" />
          <span>
            Reports on{" "}
            <Link href={paths.trials(encodeTrialView({ ...startTrialView, open: trial.nct }))}>
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
          <ul className="mesh">
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
