import { useArrivalHold } from "../shell/arrival.ts";
import { Link, useHref } from "../shell/location.tsx";
import { TopBarSlot, useTray } from "../shell/shell-context.ts";
import { Icon } from "../ui/Icon.tsx";
import { Failed, State } from "../ui/State.tsx";
import { useLoad } from "../ui/hooks.ts";
import { num } from "../ui/text.ts";
import { researchApi } from "./api.ts";
import { ArticlePage } from "./ArticlePage.tsx";
import { CardLooks } from "./cards.tsx";
import { InfoContext } from "./FiltersBar.tsx";
import { Tabs } from "./parts.tsx";
import { ReportPage } from "./ReportPage.tsx";
import { ReportsPage } from "./ReportsPage.tsx";
import { ResearchAssistant } from "./ResearchAssistant.tsx";
import { parseRoute, paths, type Route } from "./routes.ts";
import { StreamPage } from "./StreamPage.tsx";
import { StreamsPage } from "./StreamsPage.tsx";
import { TrialsPage } from "./TrialsPage.tsx";
import type { ResearchInfo } from "./types.ts";
import "./research.css";

/** Streams of articles, reports of what they found, and clinical trials. */
export default function App() {
  const { data: info, error, reload } = useLoad("info", researchApi.info);
  useArrivalHold(info === undefined && !error);
  const route = parseRoute(useHref());
  useTray({ pageName: pageNames[route.page], placeholder: "Ask about what is on the page…", toolLabels });
  return (
    <InfoContext value={info}>
      <CardLooks />
      <ResearchAssistant info={info} />
      <TopBarSlot>{info && <Library {...info} />}</TopBarSlot>
      <main className="main research">
        <div className="sections">
          <Tabs
            small
            label="Research"
            tabs={sections.map((each) => ({ ...each, current: each.pages.includes(route.page) }))}
          />
        </div>
        {error ? <Failed what="library" error={error} retry={reload} /> : <Page route={route} />}
      </main>
    </InfoContext>
  );
}

const sections: { label: string; href: string; pages: Route["page"][] }[] = [
  { label: "Streams", href: paths.streams(), pages: ["streams", "stream"] },
  { label: "Reports", href: paths.reports(), pages: ["reports", "report"] },
  { label: "Trials", href: paths.trials(), pages: ["trials"] },
];

function Page({ route }: { route: Route }) {
  switch (route.page) {
    case "streams":
      return <StreamsPage />;
    case "stream":
      return <StreamPage key={route.id} {...route} />;
    case "reports":
      return <ReportsPage />;
    case "report":
      return <ReportPage key={route.id} {...route} />;
    case "article":
      return <ArticlePage key={route.pmid} pmid={route.pmid} />;
    case "trials":
      return <TrialsPage />;
    case "missing":
      return (
        <div className="panel">
          <title>Research</title>
          <h1 className="sr-only">Research</h1>
          <State
            title="There is no such page"
            text="The address leads nowhere in Research."
            actions={
              <Link className="button" href={paths.streams()}>
                Go to the streams
              </Link>
            }
          />
        </div>
      );
  }
}

function Library({ library, trials }: ResearchInfo) {
  return (
    <div className="source" title={`${library.label}, ${trials.label}`}>
      <Icon name="database" size={15} />
      <span className="source-name">
        {num(library.articles)} articles<span className="wide-only"> · {num(trials.count)} trials</span>
      </span>
      {library.generated || trials.generated ? (
        <span className="badge">generated sample</span>
      ) : (
        <span className="ellipsis source-file">{library.label}</span>
      )}
    </div>
  );
}

const pageNames: Record<Route["page"], string> = {
  streams: "your streams",
  stream: "this stream",
  reports: "your reports",
  report: "this report",
  article: "this article",
  trials: "clinical trials",
  missing: "Research",
};

const toolLabels = {
  search_pubmed: "Search articles",
  fetch_article: "Read an article",
  search_trials: "Search trials",
  count_library: "Count the library",
  compare_reports: "Compare reports",
  run_analysis: "Run an analysis",
  validate_stream: "Check the stream",
  retrieve_items: "Read rows of the page",
};
