import type { ContextRegistry } from "../page/context.js";
import { loadRunning } from "./load.js";
import type { RetrieveRequest } from "./retrieve.js";
import type { ToolParts } from "./parts.js";
import type { FrontendTool, ToolsApi } from "./types.js";

/** Makes the client's functions for tools. */
export function toolsApi({ page, tools }: ToolParts): ToolsApi {
  return {
    registerTool: (tool) => page.registered(tools.register(tool as FrontendTool)),
    getTools: () => tools.list(),
    getToolEntries: () => tools.entries(),
  };
}

/** The tool with which the assistant retrieves items that the page did not send. */
export const retrieveTool = (context: ContextRegistry): FrontendTool<RetrieveRequest> => ({
  name: "retrieve_items",
  description: "Returns items of the page in full: those whose ids or positions you name, or whose summary was cut.",
  parameters: {
    type: "object",
    properties: {
      source: { type: "string", description: "label or description of the context item; default all" },
      ids: { type: "array", items: { type: ["string", "number"] } },
      from: { type: "integer", minimum: 0, description: "first position, from 0" },
      to: { type: "integer", minimum: 0, description: "position after the last" },
      fields: { type: "array", items: { type: "string" } },
    },
  },
  effect: "read",
  handler: async (request) => (await loadRunning()).retrieve(context.withItems(), request),
});
