import { useDynamicContext, usePageContext } from "@pageside/react";
import { useState } from "react";
import { AskButton } from "../../components/AskButton.tsx";
import { useArrival } from "../../shell/arrival.ts";
import { Link } from "../../shell/Link.tsx";
import { useTitle } from "../../shell/shell-context.tsx";
import { researchApi } from "../api.ts";
import { latestReport, paths } from "../routes.ts";
import { useLoad } from "../state/use-load.ts";
import type { Report } from "../types.ts";
import { ArticleTable } from "../ui/ArticleTable.tsx";
import { BarList } from "../ui/BarList.tsx";
import { Pager } from "../ui/Pager.tsx";
import { Empty, PageState } from "../ui/States.tsx";
import { Tabs } from "../ui/Tabs.tsx";
import { count, day } from "../ui/text.ts";
import { breakdown } from "../state/breakdown.ts";
import { reportsContext } from "./reports-context.ts";

interface ReportPageProps {
  id: string;
  tab: "articles" | "analysis";
}

/** One report: its articles, and what they are. */
export function ReportPage({ id, tab }: ReportPageProps) {
  const { data: report, error, reload } = useLoad(id, (signal) => loadReport(id, signal));
  const { data: reports } = useLoad("reports", researchApi.reports);
  useTitle(`${report?.name ?? "Report"} · Research`);
  usePageContext({
    page: "reports",
    ...(tab === "analysis" && { tab }),
    ...(report && { scope: { report: report.id } }),
    description: "Address in Research",
  });
  useDynamicContext({
    description: "Research: reports",
    source: "Research",
    value: reportsContext(reports, { open: report }),
    items: report?.articles ?? [],
  });
  useArrival(report !== undefined && reports !== undefined);
  if (error || !report) return <PageState what="report" error={error} retry={reload} />;
  return (
    <>
      <header className="page-head">
        <div>
          <p className="crumbs">
            <Link href={paths.reports()}>Reports</Link>
          </p>
          <h1>{report.name}</h1>
          <p className="muted">
            {count(report.total, "article")}, {day(report.date)} ·{" "}
            <Link href={paths.stream(report.streamId, "retrieval")} className="quiet-link">
              the stream
            </Link>
          </p>
        </div>
      </header>
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
        <Empty title="An empty report" text="The stream's search found nothing at the report's date." />
      )}
    </section>
  );
}

function Analysis({ report: { articles } }: { report: Report }) {
  const { years, types, journals } = breakdown(articles);
  return (
    <>
      <div className="analysis-head">
        <p className="muted">
          Counted from the report’s articles. The assistant can go further: headings, and which come together.
        </p>
        <AskButton question="Analyse this report">Analyse with the assistant</AskButton>
      </div>
      <div className="analysis">
        <section className="panel form" aria-label="By year">
          <BarList title="By year" bars={years} of={articles.length} />
        </section>
        <section className="panel form" aria-label="By publication type">
          <BarList title="By publication type" bars={types} of={articles.length} />
        </section>
        <section className="panel form" aria-label="By journal">
          <BarList title="By journal" bars={journals} of={articles.length} />
        </section>
      </div>
    </>
  );
}
