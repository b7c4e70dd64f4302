import { useAssistantAdditionalContext, useAssistantPrompts, useAssistantSuggestions } from "@pageside/react";
import { useDiscover } from "./use-discover.ts";

const commands = [
  {
    command: "/analyze",
    description: "Analyze what is on the page",
    prompt: "Analyze the current data and show key insights",
  },
  { command: "/help", description: "What you can do here", prompt: "Show me what I can do in this application" },
  { command: "/errors", description: "Errors by status", prompt: "Show errors by status", group: "Discover" },
  {
    command: "/client",
    description: "Everything about one client",
    argumentHint: "<address>",
    prompt: (address: string) => `Look up ${address}`,
    group: "Discover",
  },
  {
    command: "/chart",
    description: "Draw a chart",
    argumentHint: "<of what>",
    prompt: (of: string) => `Draw a chart of ${of || "requests by hour"}`,
    group: "Discover",
  },
];

/** Commands, background and suggestions of Discover. */
export function useDiscoverPrompts(): void {
  const { results, selected } = useDiscover().snapshot;
  const { registerCommands } = useAssistantPrompts();
  registerCommands(commands);
  useAssistantAdditionalContext({
    instructions:
      "Discover keeps its query, time range and filters in the address, so what is on the page can be bookmarked and shared. " +
      "The user can undo what you change on the page.",
  });
  useAssistantAdditionalContext({
    instructions: "The newest query failed, and the table still shows the result of the one before.",
    available: results.status === "error",
  });
  // All else on the page is in its context; ticked rows are there only when they are mentioned.
  useAssistantSuggestions({
    instructions: `${selected.length} rows are ticked. Suggest the most useful next questions about this access log.`,
  });
}
