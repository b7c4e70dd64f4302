import { useAssistantAction, useDynamicContext, useSuggestedAction } from "@pageside/react";
import { ToolPanel, panelState } from "../../assistant/ToolPanel.tsx";
import { navigate } from "../../shell/location.ts";
import { paths } from "../routes.ts";
import { encodeTrialView, startTrialView } from "../state/trial-view.ts";
import type { ResearchInfo } from "../types.ts";
import { destination, type Destination } from "./destination.ts";

/** What the assistant knows and can do on every page of Research. Draws nothing on the page. */
export function ResearchAssistant({ info }: { info: ResearchInfo | undefined }) {
  useDynamicContext({
    description: "Research: library",
    source: "Research",
    value: info && {
      articles: info.library.articles,
      generated: info.library.generated,
      label: info.library.label,
      from: info.library.from,
      to: info.library.to,
      trials: info.trials.count,
      trialsLabel: info.trials.label,
    },
  });
  useNavigation();
  useSuggestedAction("open_page", (args) => go((args ?? {}) as Destination));
  useSuggestedAction("open_article", (args) => openArticle(text(args, "pmid")));
  useSuggestedAction("open_trial", (args) => openTrial(text(args, "nct")));
  useSuggestedAction("open_report", (args) => openReport(text(args, "id")));
  return null;
}

type Done = { success: true; message: string } | { success: false; error: string };

function useNavigation(): void {
  useAssistantAction<Destination, Done>({
    name: "navigate",
    description:
      "Show another page of Research: streams, edit_research_stream (with stream, and tab semantic, retrieval or execute; subtab workbench), reports (with report, or selected: two ids to compare), article (with pmid) or trials.",
    parameters: {
      type: "object",
      properties: {
        page: { enum: ["streams", "edit_research_stream", "reports", "article", "trials"] },
        stream: { type: "string" },
        tab: { type: "string" },
        subtab: { type: "string" },
        report: { type: "string" },
        selected: { type: "array", items: { type: "string" }, maxItems: 2 },
        pmid: { type: "string" },
        nct: { type: "string" },
      },
      required: ["page"],
      additionalProperties: false,
    },
    handler: (args) => attempt(() => go(args), "Page opened"),
    render: (call) => <ToolPanel {...panelState(call, { busy: "Opening…", failed: "Could not open it" })} />,
  });
  useAssistantAction<{ pmid: string }, Done>({
    name: "open_article",
    description: "Show one article, by its PMID.",
    parameters: {
      type: "object",
      properties: { pmid: { type: "string", pattern: "^\\d{1,9}$" } },
      required: ["pmid"],
      additionalProperties: false,
    },
    handler: ({ pmid }) => attempt(() => openArticle(pmid), `Article ${pmid} opened`),
    render: (call) => <ToolPanel {...panelState(call, { busy: "Opening…", failed: "Could not open it" })} />,
  });
}

function attempt(work: () => void, message: string): Done {
  try {
    work();
    return { success: true, message };
  } catch (error) {
    return { success: false, error: (error as Error).message };
  }
}

const go = (to: Destination) => navigate(destination(to));

function openArticle(pmid: string): void {
  if (!/^\d{1,9}$/.test(pmid)) throw new Error(`“${pmid}” is no PMID.`);
  navigate(paths.article(pmid));
}

function openTrial(nct: string): void {
  if (!/^NCT\d{4,9}$/.test(nct)) throw new Error(`“${nct}” is no trial's number.`);
  navigate(paths.trials(encodeTrialView({ ...startTrialView, open: nct })));
}

function openReport(id: string): void {
  if (!id) throw new Error("It does not say which report.");
  navigate(paths.report(id));
}

function text(args: unknown, name: string): string {
  const value = typeof args === "object" && args !== null ? (args as Record<string, unknown>)[name] : undefined;
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
