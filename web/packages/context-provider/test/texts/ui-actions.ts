/** The first text's services of UI actions, as printed. See `page.tsx`. */
import type { AssistantAction, UiActionsSetup, UiActionsStart } from "@osd/context-provider";
import { executeQuery } from "./application.js";

const getCurrentQuery = () => "source=logs";
const getSelectedData = () => [7];
const getActiveFilters = () => ["level:error"];

export function registerDataExplorationActions(uiActions: UiActionsSetup) {
  uiActions.registerAction({
    id: "execute-query-action",
    type: "execute-query",
    getDisplayName: () => "Execute Query",
    execute: async (context) => {
      return await executeQuery(context.query, context.dataSource);
    },
  });

  uiActions.registerAction({
    id: "capture-context-action",
    type: "capture-context",
    execute: async (_context) => {
      return {
        currentQuery: getCurrentQuery(),
        selectedData: getSelectedData(),
        filters: getActiveFilters(),
      };
    },
  });
}

export class AssistantActionService {
  readonly toolDefinitions = new Map<string, AssistantAction>();

  constructor(private uiActions: UiActionsStart) {}

  registerTool(toolDefinition: AssistantAction) {
    this.uiActions.registerAction({
      id: `assistant-${toolDefinition.name}`,
      type: "assistant-tool",
      execute: toolDefinition.handler!, // strict: an action need not have one
    });

    this.toolDefinitions.set(toolDefinition.name, toolDefinition);
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as printed
  async executeAction(toolName: string, args: any) {
    const actionId = `assistant-${toolName}`;
    return await this.uiActions.executeTriggerActions("assistant-tool", {
      actionId,
      args,
    });
  }
}

export class ContextCaptureService {
  constructor(private uiActions: UiActionsStart) {}

  async captureContext(appId: string) {
    const contextActions = this.uiActions.getActions({
      type: "capture-context",
      appId,
    });

    const contextData = {};
    for (const action of contextActions) {
      const result = await action.execute({ appId });
      Object.assign(contextData, result);
    }

    return contextData;
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as printed
  subscribeToContextUpdates(callback: (context: any) => void) {
    this.uiActions.addTriggerAction("context-updated", {
      execute: callback,
    });
  }
}
