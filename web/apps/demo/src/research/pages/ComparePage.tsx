import { useDynamicContext, usePageContext } from "@pageside/react";
import { useArrival } from "../../shell/arrival.ts";
import { Link } from "../../shell/Link.tsx";
import { useHref } from "../../shell/location.ts";
import { useTitle } from "../../shell/shell-context.tsx";
import { researchApi } from "../api.ts";
import { paths, readSelected, searchOf } from "../routes.ts";
import { difference } from "../state/breakdown.ts";
import { useLoad } from "../state/use-load.ts";
import type { Report } from "../types.ts";
import { ArticleTable } from "../ui/ArticleTable.tsx";
import { Empty, Failed, RowsSkeleton } from "../ui/States.tsx";
import { Tabs } from "../ui/Tabs.tsx";
import { count, day, num } from "../ui/text.ts";
import { reportsContext } from "./reports-context.ts";

/** Two reports beside each other: what is new, what is gone, what stayed. */
export function ComparePage() {
  const search = searchOf(useHref());
  const selected = readSelected(search).slice(0, 2);
  const key = selected.length === 2 ? selected.join(",") : null;
  const both = useLoad(key, (signal) => Promise.all(selected.map((id) => researchApi.report(id, signal))));
  const { data: reports } = useLoad("reports", researchApi.reports);
  useTitle("Compare reports · Research");
  usePageContext({ page: "reports", description: "Address in Research" });
  useDynamicContext({
    description: "Research: reports",
    source: "Research",
    value: reportsContext(reports, { selected }),
    items: reports ?? [],
  });
  useArrival(!both.loading && reports !== undefined);
  const [older, newer] = (both.data ?? []).toSorted((a, b) => a.date.localeCompare(b.date));
  return (
    <>
      <header className="page-head">
        <div>
          <p className="crumbs">
            <Link href={paths.reports(selected)}>Reports</Link>
          </p>
          <h1>Compare reports</h1>
        </div>
      </header>
      {key === null && (
        <div className="panel">
          <Empty title="Choose two reports" text="Tick two in the list to compare them.">
            <Link className="button" href={paths.reports(selected)}>
              Go to the list
            </Link>
          </Empty>
        </div>
      )}
      {both.error && (
        <div className="panel">
          <Failed what="reports" error={both.error} retry={both.reload} />
        </div>
      )}
      {key !== null && !both.data && !both.error && (
        <div className="panel" aria-busy="true">
          <RowsSkeleton />
        </div>
      )}
      {!both.error && older && newer && <Difference older={older} newer={newer} search={search} />}
    </>
  );
}

const parts = ["added", "removed", "kept"] as const;
type Part = (typeof parts)[number];
const partNames: Record<Part, string> = { added: "New", removed: "Gone", kept: "In both" };

function Difference({ older, newer, search }: { older: Report; newer: Report; search: string }) {
  const found = difference(older.articles, newer.articles);
  const params = new URLSearchParams(search);
  const part = parts.find((each) => each === params.get("show")) ?? "added";
  const hrefOf = (each: Part) => {
    const next = new URLSearchParams(params);
    if (each === "added") next.delete("show");
    else next.set("show", each);
    return `${paths.compare([])}?${next.toString()}`;
  };
  useDynamicContext({
    description: "Comparison on screen",
    source: "Research",
    value: {
      older: { id: older.id, name: older.name },
      newer: { id: newer.id, name: newer.name },
      added: found.added.length,
      removed: found.removed.length,
      kept: found.kept.length,
      showing: part,
    },
  });
  return (
    <>
      <div className="versus">
        <Side label="Before" report={older} />
        <Side label="After" report={newer} />
      </div>
      <section className="panel results-panel" aria-label="Difference">
        <header className="results-head">
          <Tabs
            small
            label="Difference"
            tabs={parts.map((each) => ({
              label: partNames[each],
              href: hrefOf(each),
              current: each === part,
              count: num(found[each].length),
            }))}
          />
        </header>
        {found[part].length > 0 ? (
          <ArticleTable label={`${partNames[part]} articles`} articles={found[part]} />
        ) : (
          <Empty
            icon="check"
            title={part === "added" ? "Nothing is new" : part === "removed" ? "Nothing is gone" : "Nothing in common"}
          />
        )}
      </section>
    </>
  );
}

function Side({ label, report }: { label: string; report: Report }) {
  return (
    <div className="panel side">
      <span className="muted">{label}</span>
      <Link href={paths.report(report.id)} className="row-title">
        {report.name}
      </Link>
      <span className="muted">
        {day(report.date)} · {count(report.articles.length, "article")}
      </span>
    </div>
  );
}
