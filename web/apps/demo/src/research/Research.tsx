import { Icon } from "../components/Icon.tsx";
import { Link } from "../shell/Link.tsx";
import { useHref } from "../shell/location.ts";
import { TopBarSlot, useTray } from "../shell/shell-context.tsx";
import { CardLooks } from "./assistant/CardLooks.tsx";
import { ResearchAssistant } from "./assistant/ResearchAssistant.tsx";
import { researchApi } from "./api.ts";
import { InfoContext } from "./info.ts";
import { ArticlePage } from "./pages/ArticlePage.tsx";
import { ComparePage } from "./pages/ComparePage.tsx";
import { NewStreamPage } from "./pages/NewStreamPage.tsx";
import { ReportPage } from "./pages/ReportPage.tsx";
import { ReportsPage } from "./pages/ReportsPage.tsx";
import { StreamPage } from "./pages/StreamPage.tsx";
import { StreamsPage } from "./pages/StreamsPage.tsx";
import { TrialsPage } from "./pages/TrialsPage.tsx";
import { parseRoute, paths, type Route } from "./routes.ts";
import { useLoad } from "./state/use-load.ts";
import { useArrivalHold } from "../shell/arrival.ts";
import type { ResearchInfo } from "./types.ts";
import { Empty, Failed } from "./ui/States.tsx";
import { num } from "./ui/text.ts";
import "../components/results.css";
import "./styles/research.css";
import "./styles/table.css";
import "./styles/forms.css";
import "./styles/cards.css";

/** Streams of articles, reports of what they found, and clinical trials. */
export function Research() {
  const { data: info, error, reload } = useLoad("info", researchApi.info);
  useArrivalHold(info === undefined && !error);
  const route = parseRoute(useHref());
  useTray({
    pageName: pageNames[route.page],
    placeholder: "Ask about what is on the page…",
    toolLabels,
  });
  return (
    <InfoContext value={info}>
      <CardLooks />
      <ResearchAssistant info={info} />
      <TopBarSlot>{info && <Library info={info} />}</TopBarSlot>
      <main className="research">
        <Sections page={route.page} />
        {error ? <Failed what="library" error={error} retry={reload} /> : <Page route={route} />}
      </main>
    </InfoContext>
  );
}

function Page({ route }: { route: Route }) {
  switch (route.page) {
    case "streams":
      return <StreamsPage />;
    case "new-stream":
      return <NewStreamPage />;
    case "stream":
      return <StreamPage key={route.id} {...route} />;
    case "reports":
      return <ReportsPage />;
    case "compare":
      return <ComparePage />;
    case "report":
      return <ReportPage key={route.id} {...route} />;
    case "article":
      return <ArticlePage key={route.pmid} pmid={route.pmid} />;
    case "trials":
      return <TrialsPage />;
    case "missing":
      return (
        <div className="panel">
          <h1 className="sr-only">Research</h1>
          <Empty icon="help" title="There is no such page" text="The address leads nowhere in Research.">
            <Link className="button" href={paths.streams()}>
              Go to the streams
            </Link>
          </Empty>
        </div>
      );
  }
}

const sections = [
  { label: "Streams", href: paths.streams(), pages: ["streams", "new-stream", "stream"] },
  { label: "Reports", href: paths.reports(), pages: ["reports", "report", "compare"] },
  { label: "Trials", href: paths.trials(), pages: ["trials"] },
] satisfies { label: string; href: string; pages: Route["page"][] }[];

function Sections({ page }: { page: Route["page"] }) {
  return (
    <nav className="sections" aria-label="Research">
      {sections.map(({ label, href, pages }) => (
        <Link
          key={label}
          href={href}
          className="section-link"
          aria-current={(pages as string[]).includes(page) ? "page" : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

function Library({ info: { library, trials } }: { info: ResearchInfo }) {
  const generated = library.generated || trials.generated;
  return (
    <div className="source" title={`${library.label}, ${trials.label}`}>
      <Icon name="database" size={15} />
      <span className="source-name">
        {num(library.articles)} articles<span className="wide-only"> · {num(trials.count)} trials</span>
      </span>
      {generated ? (
        <span className="badge">generated sample</span>
      ) : (
        <span className="source-label source-file">{library.label}</span>
      )}
    </div>
  );
}

const pageNames: Record<Route["page"], string> = {
  streams: "your streams",
  "new-stream": "a new stream",
  stream: "this stream",
  reports: "your reports",
  compare: "these reports",
  report: "this report",
  article: "this article",
  trials: "clinical trials",
  missing: "Research",
};

const toolLabels = {
  search_pubmed: "Search articles",
  fetch_article: "Read an article",
  search_trials: "Search trials",
  compare_reports: "Compare reports",
  run_analysis: "Run an analysis",
  validate_stream: "Check the stream",
  retrieve_items: "Read rows of the page",
};
