import { home, latestReport, paths, type StreamTab } from "./routes.ts";
import { pageSizes } from "./state/article-view.ts";
import { encodeTrialView, startTrialView } from "./state/trial-view.ts";
import { writeFilters } from "./state/filters.ts";
import type { Filters, Scenario, TrialForm } from "./types.ts";

/**
 * The address at which a scenario begins: its place, what it is about, and the state the page has
 * there.
 */
export function scenarioHref({ place, scope = {}, state = {} }: Scenario): string {
  const [page, tab, subtab] = place.split("/");
  switch (page) {
    case "edit_research_stream":
      return paths.stream(scope.stream ?? "1", streamTab(tab), subtab === "workbench") + searchPart(state);
    case "reports":
      if (scope.report || tab === "analysis")
        return paths.report(scope.report ?? latestReport, tab === "analysis" ? "analysis" : "articles");
      return paths.reports(strings(state.selected));
    case "article":
      return paths.article(String(state.pmid ?? scope.article ?? ""));
    case "trials": {
      const form = (state.form ?? {}) as TrialForm;
      return paths.trials(
        encodeTrialView({ ...startTrialView, form, pageSize: sizeOf(state) ?? startTrialView.pageSize }),
      );
    }
    case "streams":
      return paths.streams();
    default:
      return home;
  }
}

const streamTab = (tab: string | undefined): StreamTab => (tab === "retrieval" || tab === "execute" ? tab : "semantic");

function searchPart(state: Record<string, unknown>): string {
  const params = new URLSearchParams();
  if (typeof state.query === "string") params.set("q", state.query);
  if (state.filters) {
    params.set("filters", "own");
    writeFilters(params, state.filters as Filters);
  }
  const size = sizeOf(state);
  if (size) params.set("size", String(size));
  const text = params.toString();
  return text && `?${text}`;
}

const sizeOf = ({ pageSize }: Record<string, unknown>) => pageSizes.find((size) => size === pageSize);

const strings = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
