import { useDynamicContext, usePageContext } from "@pageside/react";
import { useArrival } from "../../shell/arrival.ts";
import { Link } from "../../shell/Link.tsx";
import { navigate, useHref } from "../../shell/location.ts";
import { useTitle } from "../../shell/shell-context.tsx";
import { researchApi } from "../api.ts";
import { paths, readSelected, searchOf } from "../routes.ts";
import { useLoad } from "../state/use-load.ts";
import type { ReportBrief } from "../types.ts";
import { Empty, Failed, RowsSkeleton } from "../ui/States.tsx";
import { count, day, num } from "../ui/text.ts";
import { reportsContext } from "./reports-context.ts";

/** All reports, newest first; two of them can be compared. */
export function ReportsPage() {
  const { data: reports, error, reload } = useLoad("reports", researchApi.reports);
  const selected = readSelected(searchOf(useHref()));
  useTitle("Reports · Research");
  usePageContext({ page: "reports", description: "Address in Research" });
  useDynamicContext({
    description: "Research: reports",
    source: "Research",
    value: reportsContext(reports, { selected }),
    items: reports ?? [],
  });
  useArrival(reports !== undefined);

  // A third one takes the place of the one that was chosen first.
  const toggle = (id: string) => {
    const next = selected.includes(id) ? selected.filter((each) => each !== id) : [...selected, id].slice(-2);
    navigate(paths.reports(next), { replace: true });
  };
  return (
    <>
      <header className="page-head">
        <div>
          <h1>Reports</h1>
          <p className="muted">What a stream found, kept as it was at a date.</p>
        </div>
        <CompareButton selected={selected} />
      </header>
      <section className="panel results-panel" aria-label="Reports" aria-busy={!reports && !error}>
        {error && <Failed what="list of reports" error={error} retry={reload} />}
        {!reports && !error && <RowsSkeleton rows={5} />}
        {reports?.length === 0 && (
          <Empty icon="clock" title="No reports yet" text="Run a stream and make a report of what it finds.">
            <Link className="button" href={paths.streams()}>
              Go to the streams
            </Link>
          </Empty>
        )}
        {reports && reports.length > 0 && <ReportTable reports={reports} selected={selected} toggle={toggle} />}
      </section>
    </>
  );
}

function CompareButton({ selected }: { selected: readonly string[] }) {
  if (selected.length === 2)
    return (
      <Link className="button button-primary" href={paths.compare(selected)}>
        Compare
      </Link>
    );
  return (
    <button type="button" className="button" disabled>
      {selected.length === 1 ? "Choose one more to compare" : "Choose two to compare"}
    </button>
  );
}

interface ReportTableProps {
  reports: readonly ReportBrief[];
  selected: readonly string[];
  toggle(id: string): void;
}

function ReportTable({ reports, selected, toggle }: ReportTableProps) {
  return (
    <div className="table-scroll" tabIndex={0} role="group" aria-label="Reports">
      <table className="rows">
        <thead>
          <tr>
            <th className="col-check">
              <span className="sr-only">Compare</span>
            </th>
            <th className="col-title">Report</th>
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
                <span className="row-sub mono">{query || "Everything"}</span>
              </td>
              <td className="col-date">{day(date)}</td>
              <td className="col-number" title={count(total, "article")}>
                {num(total)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
