/**
 * What the page can do, in one registry: an action may be a tool of the assistant, an item of a
 * menu and a command of the message box at once. Framework-free, and apart from the client: a page
 * without actions does not bring it along.
 */
import { Subscribable } from "./base/subscribable.js";
import type { UiAction, UiActions } from "./types-page.js";
import type { PagesideClient } from "./types.js";
import { ActionList, type Attached } from "./ui-actions-list.js";
import { running, wiring } from "./ui-actions-wires.js";

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
export function uiActionsOf(client: PagesideClient): UiActions {
  return client.extension(UI_ACTIONS, createUiActions);
}

function createUiActions(client: PagesideClient): UiActions {
  const list = new ActionList();
  const changes = new Subscribable();
  const changed = () => {
    wire(list);
    changes.notify();
  };

  /** An undo that tells of the change, as what it undoes does. */
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
      (await running()).runAttached({ client, actions }, trigger, list.of(trigger), context, options),
    subscribe: changes.subscribe,
  };
  const wire = wiring(client, actions);
  return actions;
}
