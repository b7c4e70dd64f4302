/** The tools of the page as UI actions: `assistant-<name>`, of the type `assistant-tool`. */
import type { Extensible } from "../base/extensible.js";
import { loadRunning } from "./load.js";
import type { ToolEntryInfo, ToolsApi } from "./types.js";
import { TOOL_PREFIX, type UiAction } from "./ui-action-types.js";

type ToolClient = Extensible & Pick<ToolsApi, "getToolEntries">;

/** The actions that were made here, so that none of them is made a tool again. */
const made = new WeakSet<object>();

/** Reports whether the action is a tool of the page, rather than one that was registered as such. */
export const isToolAction = (action: object): boolean => made.has(action);

/** The actions of the tools that no UI action has made. */
export function toolActions(client: ToolClient): UiAction[] {
  return client
    .getToolEntries()
    .filter(({ actionId }) => actionId === undefined)
    .map((entry) => actionOf(client, entry));
}

/** The name of the tool with that action's id. */
export const nameOfTool = (actionId: string): string =>
  actionId.startsWith(TOOL_PREFIX) ? actionId.slice(TOOL_PREFIX.length) : actionId;

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
  made.add(action);
  return action;
}
