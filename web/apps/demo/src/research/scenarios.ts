import { writeCriteria } from "./filters.ts";
import { latestReport, paths, streamTab } from "./routes.ts";
import { encodeTrialView, startTrialView } from "./trial-view.ts";
import type { Scenario } from "./types.ts";

/** A place in Research as the assistant names it. */
export interface Destination {
  page?: string;
  tab?: string;
  subtab?: string;
  stream?: string;
  report?: string;
  selected?: string[];
  pmid?: string;
  nct?: string;
}

/** Its address. Throws, in words for the user, if there is no such place. */
export function destination({ page, tab, subtab, stream, report, selected, pmid, nct }: Destination): string {
  switch (page) {
    case "streams":
      return paths.streams();
    case "edit_research_stream":
      if (!stream) throw new Error("It does not say which stream.");
      return paths.stream(String(stream), streamTab(tab), subtab === "workbench");
    case "reports":
      return report
        ? paths.report(String(report), tab === "analysis" ? tab : "articles")
        : paths.reports(selected?.map(String));
    case "article":
      if (!/^\d{1,9}$/.test(String(pmid))) throw new Error(`“${pmid ?? ""}” is no PMID.`);
      return paths.article(String(pmid));
    case "trials":
      return paths.trials(encodeTrialView({ ...startTrialView, open: nct ?? null }));
    default:
      throw new Error(`There is no page “${page ?? ""}”.`);
  }
}

/** The address at which a scenario begins: its place, its scope, and the page's state. */
export function scenarioHref({ place, scope = {}, state = {} }: Scenario): string {
  const [page, tab, subtab] = place.split("/");
  const { query, filters, form = {}, pageSize, selected } = state;
  if (page === "trials")
    return paths.trials(encodeTrialView({ ...startTrialView, form, pageSize: pageSize ?? startTrialView.pageSize }));
  const params = new URLSearchParams();
  if (query !== undefined) params.set("q", query);
  if (filters) {
    params.set("filters", "own");
    writeCriteria(params, filters);
  }
  if (pageSize) params.set("size", String(pageSize));
  const report = scope.report ?? (tab === "analysis" ? latestReport : undefined);
  const href = destination({ page, tab, subtab, stream: scope.stream ?? "1", report, selected });
  return params.size > 0 ? `${href}?${params.toString()}` : href;
}
