/** Research's paths. Each page reads its own parameters. */

/** The tabs of a stream. */
export type StreamTab = "semantic" | "retrieval" | "execute";
/** The tabs of a report. */
export type ReportTab = "articles" | "analysis";

/** A page, with what is in its path. */
export type Route =
  | { page: "streams" }
  | { page: "stream"; id: string; tab: StreamTab; workbench: boolean }
  | { page: "reports" }
  | { page: "report"; id: string; tab: ReportTab }
  | { page: "article"; pmid: string }
  | { page: "trials" }
  | { page: "missing" };

const home = "/research";

/** The id that means the newest report. */
export const latestReport = "latest";

/** The page that an address leads to. */
export function parseRoute(href: string): Route {
  const [path = ""] = href.split("?");
  const [page = "streams", id, tab, subtab, ...rest] = path.split("/").filter(Boolean).slice(1).map(decode);
  if (rest.length === 0 && page === "streams" && id) {
    const workbench = tab === "execute" && subtab === "workbench";
    if (isStreamTab(tab ?? "semantic") && (!subtab || workbench))
      return { page: "stream", id, tab: streamTab(tab), workbench };
  } else if (!subtab) {
    if (page === "reports" && id && !tab) return { page: "report", id, tab: "articles" };
    if (page === "reports" && id && tab === "analysis") return { page: "report", id, tab };
    if (page === "articles" && id && !tab) return { page: "article", pmid: id };
    if ((page === "streams" || page === "reports" || page === "trials") && !id) return { page };
  }
  return { page: "missing" };
}

const isStreamTab = (tab: string) => ["semantic", "retrieval", "execute"].includes(tab);

/** The tab of that name, or the first one. */
export const streamTab = (tab = "semantic") => (isStreamTab(tab) ? tab : "semantic") as StreamTab;

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The addresses of the pages. */
export const paths = {
  streams: () => `${home}/streams`,
  stream: (id: string, tab: StreamTab = "semantic", workbench = false) =>
    `${home}/streams/${encodeURIComponent(id)}/${tab}${workbench && tab === "execute" ? "/workbench" : ""}`,
  reports: (selected: readonly string[] = []) =>
    `${home}/reports${selected.length > 0 ? `?selected=${selected.map(encodeURIComponent).join(",")}` : ""}`,
  report: (id: string, tab: ReportTab = "articles") =>
    `${home}/reports/${encodeURIComponent(id)}${tab === "analysis" ? "/analysis" : ""}`,
  article: (pmid: string) => `${home}/articles/${encodeURIComponent(pmid)}`,
  trials: (search = "") => `${home}/trials${search}`,
};

/** The ids in the `selected` parameter. */
export function readSelected(search: string): string[] {
  return (new URLSearchParams(search).get("selected") ?? "").split(",").filter(Boolean);
}

/** `?…` of an address, or nothing. */
export const searchOf = (href: string) => /\?.*/.exec(href)?.[0] ?? "";
