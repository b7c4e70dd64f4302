/**
 * The registry of what the page can do: an action may be a tool of the assistant, a menu item and a
 * command at once. Framework-free, and separate from the client, so that a page without actions
 * does not load it.
 */
import { Subscribable } from "../base/subscribable.js";
import { loadRunning } from "./load.js";
import type { UiAction, UiActions } from "./ui-action-types.js";
import { ActionList, type ActionClient, type Attached } from "./ui-actions-list.js";
import { wiring } from "./ui-actions-wires.js";

const UI_ACTIONS = Symbol("ui-actions");

/**
 * The UI actions of a client.
 *
 * @example
 * const actions = uiActionsOf(client);
 * actions.registerAction({
 *   id: "execute_query",
 *   type: "assistant-tool",
 *   description: "Run a query on the current index",
 *   parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
 *   command: { command: "/run", argumentHint: "<query>" },
 *   execute: ({ query }) => run(query as string),
 * });
 */
export function uiActionsOf(client: ActionClient): UiActions {
  return client.extension(UI_ACTIONS, createUiActions);
}

function createUiActions(client: ActionClient): UiActions {
  const list = new ActionList();
  const changes = new Subscribable();
  const changed = () => {
    wire(list);
    changes.notify();
  };

  /** Announces a change now, and its undoing when the returned function is called. */
  const registered = (undo: () => boolean) => {
    changed();
    return () => {
      if (undo()) changed();
    };
  };

  const actions: UiActions = {
    registerAction: (action) => registered(list.add(action as unknown as UiAction)),
    unregisterAction(id) {
      if (list.byId.delete(id)) changed();
    },
    getAction: (id) => list.byId.get(id),
    getActions: ({ type, appId } = {}) =>
      list.actions(type).filter((each) => appId === undefined || each.appId === appId),
    addTriggerAction: (trigger, action) => registered(list.attach(trigger, action as Attached | UiAction)),
    executeTriggerActions: async (trigger, context = {}, options = {}) =>
      (await loadRunning()).runAttached({ client, actions }, trigger, list.of(trigger), context, options),
    subscribe: changes.subscribe,
  };
  const wire = wiring(client, actions);
  return actions;
}
