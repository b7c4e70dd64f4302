import { useDynamicContext, usePageContext } from "@pageside/react";
import { useArrival } from "../shell/arrival.ts";
import { Link, navigate, useHref } from "../shell/location.tsx";
import { AskButton, Button } from "../ui/Button.tsx";
import { Failed, Loading, State } from "../ui/State.tsx";
import { useLoad } from "../ui/hooks.ts";
import { day, num } from "../ui/text.ts";
import { researchApi } from "./api.ts";
import { toggled } from "./article-view.ts";
import { PageHead } from "./parts.tsx";
import { paths, readSelected, searchOf } from "./routes.ts";
import type { ReportBrief } from "./types.ts";

/** All reports, which every page with reports describes to the assistant. */
export function useReports({ selected = [], open }: { selected?: readonly string[]; open?: ReportBrief & object }) {
  const reports = useLoad("reports", researchApi.reports);
  useDynamicContext({
    description: "Research: reports",
    source: "Research",
    value: {
      reports: reports.data?.map(({ id, streamId, name, date, total }) => ({ id, streamId, name, date, total })) ?? [],
      selected,
      ...(open && { open: { id: open.id, name: open.name, total: open.total, date: open.date, query: open.query } }),
    },
    items: (open && "articles" in open ? (open.articles as object[]) : reports.data) ?? [],
  });
  return reports;
}

/** All reports, newest first; the assistant compares two of them. */
export function ReportsPage() {
  const selected = readSelected(searchOf(useHref()));
  const { data: reports, error, reload } = useReports({ selected });
  usePageContext({ page: "reports", description: "Address in Research" });
  useArrival(reports !== undefined);
  return (
    <>
      <PageHead title="Reports" text="What a stream found, stored as it was at a date.">
        {selected.length === 2 ? (
          <AskButton question="Compare the selected reports">Compare</AskButton>
        ) : (
          <Button disabled>{selected.length === 1 ? "Choose one more to compare" : "Choose two to compare"}</Button>
        )}
      </PageHead>
      <section className="panel results-panel" aria-label="Reports" aria-busy={!reports && !error}>
        {error && <Failed what="list of reports" error={error} retry={reload} />}
        {!reports && !error && <Loading />}
        {reports?.length === 0 && (
          <State title="No reports yet" text="Run a stream and make a report of what it finds." />
        )}
        {reports && reports.length > 0 && <ReportTable reports={reports} selected={selected} />}
      </section>
    </>
  );
}

function ReportTable({ reports, selected }: { reports: readonly ReportBrief[]; selected: readonly string[] }) {
  // A third one replaces the one that was chosen first.
  const toggle = (id: string) => navigate(paths.reports(toggled(selected, id).slice(-2)), { replace: true });
  return (
    <div className="table-scroll" tabIndex={0} role="group" aria-label="Reports">
      <table className="rows">
        <thead>
          <tr>
            <th className="col-check">
              <span className="sr-only">Compare</span>
            </th>
            <th>Report</th>
            <th className="col-date">Date</th>
            <th className="col-number">Articles</th>
          </tr>
        </thead>
        <tbody>
          {reports.map(({ id, name, date, query, total }) => (
            <tr key={id} data-selected={selected.includes(id) || undefined}>
              <td className="col-check">
                <input
                  type="checkbox"
                  aria-label={`Compare ${name}`}
                  checked={selected.includes(id)}
                  onChange={() => toggle(id)}
                />
              </td>
              <td className="col-title">
                <Link href={paths.report(id)} className="row-title">
                  {name}
                </Link>
                <small className="mono">{query || "Everything"}</small>
              </td>
              <td className="col-date">{day(date)}</td>
              <td className="col-number">{num(total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
