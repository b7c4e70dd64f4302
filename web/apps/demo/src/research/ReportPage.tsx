import { useDynamicContext, usePageContext } from "@pageside/react";
import { useState } from "react";
import { useArrival } from "../shell/arrival.ts";
import { Link } from "../shell/location.tsx";
import { AskButton } from "../ui/Button.tsx";
import { PageState, State } from "../ui/State.tsx";
import { useLoad } from "../ui/hooks.ts";
import { count, day } from "../ui/text.ts";
import { researchApi } from "./api.ts";
import { BarList } from "./BarList.tsx";
import { breakdown } from "./breakdown.ts";
import { PageHead, Pager, Tabs } from "./parts.tsx";
import { useReports } from "./ReportsPage.tsx";
import { latestReport, paths, type ReportTab } from "./routes.ts";
import { ArticleTable } from "./tables.tsx";
import type { Report } from "./types.ts";

interface ReportPageProps {
  id: string;
  tab: ReportTab;
}

/** One report: its articles and their breakdown. */
export function ReportPage({ id, tab }: ReportPageProps) {
  const { data: report, error, reload } = useLoad(id, (signal) => loadReport(id, signal));
  const reports = useReports({ open: report });
  usePageContext({
    page: "reports",
    ...(tab === "analysis" && { tab }),
    ...(report && { scope: { report: report.id } }),
    description: "Address in Research",
  });
  useArrival(report !== undefined && reports.data !== undefined);
  if (error || !report) return <PageState what="report" error={error} retry={reload} />;
  return (
    <>
      <PageHead
        title={report.name}
        crumb={{ label: "Reports", href: paths.reports() }}
        text={
          <>
            {count(report.total, "article")}, {day(report.date)} ·{" "}
            <Link href={paths.stream(report.streamId, "retrieval")} className="quiet-link">
              the stream
            </Link>
          </>
        }
      />
      <Tabs
        label="Report"
        tabs={[
          { label: "Articles", href: paths.report(id), current: tab === "articles" },
          { label: "Analysis", href: paths.report(id, "analysis"), current: tab === "analysis" },
        ]}
      />
      {tab === "articles" ? <Articles report={report} /> : <Analysis report={report} />}
    </>
  );
}

async function loadReport(id: string, signal: AbortSignal): Promise<Report> {
  if (id !== latestReport) return researchApi.report(id, signal);
  const [newest] = await researchApi.reports(signal);
  if (!newest) throw new Error("There are no reports yet.");
  return researchApi.report(newest.id, signal);
}

function Articles({ report: { articles } }: { report: Report }) {
  const [page, setPage] = useState(1);
  const [pageSize, setPageSize] = useState(25);
  const visible = articles.slice((page - 1) * pageSize, page * pageSize);
  useDynamicContext({
    description: "Articles of the report on screen",
    source: "Research",
    value: {
      page,
      pageSize,
      total: articles.length,
      articles: visible.map(({ pmid, title, journal, date, types }) => ({ pmid, title, journal, date, types })),
    },
  });
  return (
    <section className="panel results-panel" aria-label="Articles of the report">
      <header className="results-head">
        <h2 className="results-title">{count(articles.length, "article")}</h2>
        <span className="spring" />
        <Pager
          page={page}
          pageSize={pageSize}
          total={articles.length}
          onPage={setPage}
          onPageSize={(size) => {
            setPageSize(size);
            setPage(1);
          }}
        />
      </header>
      {articles.length > 0 ? (
        <ArticleTable label="Articles" articles={visible} />
      ) : (
        <State title="An empty report" text="The stream's search found nothing at the report's date." />
      )}
    </section>
  );
}

function Analysis({ report: { articles } }: { report: Report }) {
  const { years, types, journals } = breakdown(articles);
  return (
    <>
      <div className="row">
        <p className="muted spring">
          Counted from the report’s articles. The assistant can go further: headings, and which come together.
        </p>
        <AskButton question="Analyse this report">Analyse with the assistant</AskButton>
      </div>
      <div className="analysis">
        {Object.entries({ "By year": years, "By publication type": types, "By journal": journals }).map(
          ([title, bars]) => (
            <section key={title} className="panel form" aria-label={title}>
              <BarList title={title} bars={bars} of={articles.length} />
            </section>
          ),
        )}
      </div>
    </>
  );
}
