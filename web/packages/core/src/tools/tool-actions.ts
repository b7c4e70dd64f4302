/** The tools of the page as UI actions: `assistant-<name>`, of the type `assistant-tool`. */
import type { Extensible } from "../base/extensible.js";
import { loadRunning } from "./load.js";
import type { ToolEntryInfo, ToolsApi } from "./types.js";
import type { UiAction } from "./ui-action-types.js";
import { asToolAction, TOOL_PREFIX } from "./ui-actions-list.js";

type ToolClient = Extensible & Pick<ToolsApi, "getToolEntries">;

/** The actions of the tools that no UI action has made. */
export function toolActions(client: ToolClient): UiAction[] {
  return client
    .getToolEntries()
    .filter(({ actionId }) => actionId === undefined)
    .map((entry) => actionOf(client, entry));
}

function actionOf(client: ToolClient, { name, description, parameters, source, destructive }: ToolEntryInfo): UiAction {
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
