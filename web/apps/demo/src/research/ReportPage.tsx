import { useState } from "react";
import { Link } from "../shell/location.tsx";
import { AskButton } from "../ui/Button.tsx";
import { PageState, State } from "../ui/State.tsx";
import { useLoad } from "../ui/hooks.ts";
import { count, day } from "../ui/text.ts";
import { researchApi } from "./api.ts";
import { briefOf } from "./article-view.ts";
import { BarList } from "./BarList.tsx";
import { breakdown } from "./breakdown.ts";
import { PageHead, pageOf, Pager, Results, Tabs, usePlace, useShown } from "./parts.tsx";
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
  const scope = report && { report: report.id };
  usePlace(
    { page: "reports", ...(tab === "analysis" && { tab }), ...(scope && { scope }) },
    report !== undefined && reports.data !== undefined,
  );
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
  const [paging, setPaging] = useState({ page: 1, pageSize: 25 });
  const visible = pageOf(articles, paging);
  const total = articles.length;
  useShown("Articles of the report on screen", { ...paging, total, articles: visible.map(briefOf) });
  return (
    <Results
      label="Articles of the report"
      title={count(total, "article")}
      tools={
        <Pager
          {...paging}
          total={total}
          onChange={(change) => setPaging({ pageSize: paging.pageSize, page: 1, ...change })}
        />
      }
    >
      {total > 0 ? (
        <ArticleTable label="Articles" articles={visible} />
      ) : (
        <State title="An empty report" text="The stream's search found nothing at the report's date." />
      )}
    </Results>
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
      <div className="tiles">
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
