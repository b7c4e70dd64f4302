import { Link, navigate, useHref } from "../shell/location.tsx";
import { AskButton, Button } from "../ui/Button.tsx";
import { State } from "../ui/State.tsx";
import { useLoad } from "../ui/hooks.ts";
import { day, num } from "../ui/text.ts";
import { researchApi } from "./api.ts";
import { Loaded, PageHead, Results, usePlace, useShown } from "./parts.tsx";
import { paths, readSelected, searchOf } from "./routes.ts";
import { Table, type TableColumn } from "./tables.tsx";
import type { Report, ReportBrief } from "./types.ts";

/** All reports, which every page with reports describes to the assistant. */
export function useReports({ selected = [], open }: { selected?: readonly string[]; open?: Report }) {
  const reports = useLoad("reports", researchApi.reports);
  useShown(
    "Research: reports",
    {
      reports: reports.data?.map(({ id, streamId, name, date, total }) => ({ id, streamId, name, date, total })) ?? [],
      selected,
      ...(open && { open: { id: open.id, name: open.name, total: open.total, date: open.date, query: open.query } }),
    },
    { items: open?.articles ?? reports.data ?? [] },
  );
  return reports;
}

/** All reports, newest first; the assistant compares two of them. */
export function ReportsPage() {
  const selected = readSelected(searchOf(useHref()));
  const loaded = useReports({ selected });
  usePlace({ page: "reports" }, loaded.data !== undefined);
  return (
    <>
      <PageHead title="Reports" text="What a stream found, stored as it was at a date.">
        {selected.length === 2 ? (
          <AskButton question="Compare the selected reports">Compare</AskButton>
        ) : (
          <Button disabled>{selected.length === 1 ? "Choose one more to compare" : "Choose two to compare"}</Button>
        )}
      </PageHead>
      <Results label="Reports" busy={loaded.loading}>
        <Loaded what="list of reports" {...loaded}>
          {(reports) =>
            reports.length === 0 ? (
              <State title="No reports yet" text="Run a stream and make a report of what it finds." />
            ) : (
              <Table
                label="Reports"
                rows={reports}
                idOf={({ id }) => id}
                titleOf={({ name }) => name}
                table={reportColumns}
                selection={{
                  verb: "Compare",
                  ids: selected,
                  // A third one replaces the one that was chosen first.
                  set: (ids) => navigate(paths.reports(ids.slice(-2)), { replace: true }),
                }}
              />
            )
          }
        </Loaded>
      </Results>
    </>
  );
}

const reportColumns: TableColumn<ReportBrief>[] = [
  {
    head: "Report",
    className: "col-title",
    cell: ({ id, name, query }) => (
      <>
        <Link href={paths.report(id)} className="row-title">
          {name}
        </Link>
        <small className="mono">{query || "Everything"}</small>
      </>
    ),
  },
  { head: "Date", className: "col-date", cell: ({ date }) => day(date) },
  { head: "Articles", className: "col-number", cell: ({ total }) => num(total) },
];
