/**
 * Research's paths. What a page shows beyond its path is in the parameters, which each page reads
 * itself.
 */

export type StreamTab = "semantic" | "retrieval" | "execute";

export type Route =
  | { page: "streams" }
  | { page: "new-stream" }
  | { page: "stream"; id: string; tab: StreamTab; workbench: boolean }
  | { page: "reports" }
  | { page: "compare" }
  | { page: "report"; id: string; tab: "articles" | "analysis" }
  | { page: "article"; pmid: string }
  | { page: "trials" }
  | { page: "missing" };

export const home = "/research";

/** Stands in an address for the id of the newest report. */
export const latestReport = "latest";

export function parseRoute(href: string): Route {
  const [path = ""] = href.split("?");
  const [page, id, tab, subtab, ...rest] = path.split("/").filter(Boolean).slice(1).map(decode);
  if (rest.length > 0) return { page: "missing" };
  switch (page) {
    case undefined:
      return { page: "streams" };
    case "streams":
      return streamRoute(id, tab, subtab);
    case "reports":
      if (subtab) break;
      if (!id) return { page: "reports" };
      if (id === "compare" && !tab) return { page: "compare" };
      if (!tab || tab === "analysis") return { page: "report", id, tab: tab ? "analysis" : "articles" };
      break;
    case "articles":
      if (id && !tab) return { page: "article", pmid: id };
      break;
    case "trials":
      if (!id) return { page: "trials" };
  }
  return { page: "missing" };
}

function streamRoute(id?: string, tab?: string, subtab?: string): Route {
  if (!id) return { page: "streams" };
  if (id === "new" && !tab) return { page: "new-stream" };
  const base = { page: "stream", id } as const;
  if (!tab) return { ...base, tab: "semantic", workbench: false };
  if ((tab === "semantic" || tab === "retrieval") && !subtab) return { ...base, tab, workbench: false };
  if (tab === "execute" && (!subtab || subtab === "workbench"))
    return { ...base, tab, workbench: subtab !== undefined };
  return { page: "missing" };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const paths = {
  streams: () => `${home}/streams`,
  newStream: () => `${home}/streams/new`,
  stream: (id: string, tab: StreamTab = "semantic", workbench = false) =>
    `${home}/streams/${encodeURIComponent(id)}/${tab}${workbench && tab === "execute" ? "/workbench" : ""}`,
  reports: (selected: readonly string[] = []) => `${home}/reports${selectedPart(selected)}`,
  compare: (selected: readonly string[]) => `${home}/reports/compare${selectedPart(selected)}`,
  report: (id: string, tab: "articles" | "analysis" = "articles") =>
    `${home}/reports/${encodeURIComponent(id)}${tab === "analysis" ? "/analysis" : ""}`,
  article: (pmid: string) => `${home}/articles/${encodeURIComponent(pmid)}`,
  trials: (search = "") => `${home}/trials${search}`,
};

const selectedPart = (ids: readonly string[]) =>
  ids.length > 0 ? `?selected=${ids.map(encodeURIComponent).join(",")}` : "";

/** The ids in the `selected` parameter. */
export function readSelected(search: string): string[] {
  return (new URLSearchParams(search).get("selected") ?? "").split(",").filter(Boolean);
}

/** `?…` of an address, or nothing. */
export function searchOf(href: string): string {
  const at = href.indexOf("?");
  return at < 0 ? "" : href.slice(at);
}
