/** The tools of the page as UI actions: `assistant-<name>`, of the type `assistant-tool`. */
import type { PagesideClient, ToolEntryInfo } from "@pageside/core";
import { asToolAction, TOOL_PREFIX } from "./list.js";
import { loadRunning } from "./load.js";
import type { UiAction } from "./types.js";

/** The actions of the tools that no UI action has made. */
export function toolActions(client: PagesideClient): UiAction[] {
  return client
    .getToolEntries()
    .filter(({ actionId }) => actionId === undefined)
    .map((entry) => actionOf(client, entry));
}

function actionOf(
  client: PagesideClient,
  { name, description, parameters, source, destructive }: ToolEntryInfo,
): UiAction {
  const action: UiAction = {
    id: TOOL_PREFIX + name,
    type: "assistant-tool",
    description,
    getDisplayName: () => name,
    parameters: parameters as UiAction["parameters"],
    ...(source && { appId: source }),
    ...(destructive && { destructive }),
    execute: async (args) => (await loadRunning()).runCall(client, name, args, {}, true),
  };
  return asToolAction(action);
}
