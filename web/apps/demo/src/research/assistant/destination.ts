import { paths, type StreamTab } from "../routes.ts";
import { encodeTrialView, startTrialView } from "../state/trial-view.ts";

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

/** Its address. Throws, in words for the user, where it names no place. */
export function destination({ page, tab, subtab, stream, report, selected = [], pmid, nct }: Destination): string {
  switch (page) {
    case "streams":
      return paths.streams();
    case "edit_research_stream":
      if (!stream) throw new Error("It does not say which stream.");
      return paths.stream(String(stream), streamTab(tab), subtab === "workbench");
    case "reports":
      if (report) return paths.report(String(report), tab === "analysis" ? "analysis" : "articles");
      return selected.length === 2 ? paths.compare(selected.map(String)) : paths.reports(selected.map(String));
    case "article":
      if (!pmid) throw new Error("It does not say which article.");
      return paths.article(String(pmid));
    case "trials":
      return paths.trials(encodeTrialView({ ...startTrialView, open: nct ?? null }));
    default:
      throw new Error(`There is no page “${page ?? ""}”.`);
  }
}

const streamTab = (tab: string | undefined): StreamTab => (tab === "retrieval" || tab === "execute" ? tab : "semantic");
