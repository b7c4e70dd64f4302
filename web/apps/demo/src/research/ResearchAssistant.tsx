import { useAssistantAction, useAssistantSuggestions, useSuggestedAction } from "@pageside/react";
import { navigate } from "../shell/location.tsx";
import { panelState, ToolPanel, type ToolOutcome } from "../ui/ToolPanel.tsx";
import { useShown } from "./parts.tsx";
import { destination, type Destination } from "./scenarios.ts";
import type { ResearchInfo } from "./types.ts";

/** What the assistant knows and can do on every page of Research. Draws nothing on the page. */
export function ResearchAssistant({ info }: { info: ResearchInfo | undefined }) {
  useShown("Research: library", info && { ...info.library, trials: info.trials.count, trialsLabel: info.trials.label });
  useAssistantSuggestions({
    instructions:
      "The user works in a research library. Suggest the most useful next questions about what is on the page: what the page's own controls cannot answer, or the next step of the work.",
  });
  useNavigation();
  useSuggestedAction("open_page", (args) => go(args as Destination));
  useSuggestedAction("open_article", (args) => go({ page: "article", ...(args as object) }));
  useSuggestedAction("open_trial", (args) => go({ page: "trials", ...(args as object) }));
  useSuggestedAction("open_report", (args) => go({ page: "reports", report: (args as { id: string }).id }));
  return null;
}

const go = (to: Destination) => navigate(destination(to));

function useNavigation(): void {
  const text = { type: "string" };
  useAssistantAction<Destination, ToolOutcome>({
    name: "navigate",
    description:
      "Show another page of Research: streams, edit_research_stream (with stream, and tab semantic, retrieval or execute; subtab workbench), reports (with report, or selected: two ids to compare), article (with pmid) or trials.",
    parameters: {
      type: "object",
      properties: {
        page: { enum: ["streams", "edit_research_stream", "reports", "article", "trials"] },
        stream: text,
        tab: text,
        subtab: text,
        report: text,
        selected: { type: "array", items: text, maxItems: 2 },
        pmid: text,
        nct: text,
      },
      required: ["page"],
      additionalProperties: false,
    },
    effect: "read",
    handler: (to) => attempt(to),
    render: (call) => <ToolPanel {...panelState(call, { busy: "Opening…", failed: "Could not open it" })} />,
  });
}

function attempt(to: Destination): ToolOutcome {
  try {
    go(to);
    return { success: true, message: "Page opened" };
  } catch (error) {
    return { success: false, error: (error as Error).message };
  }
}
