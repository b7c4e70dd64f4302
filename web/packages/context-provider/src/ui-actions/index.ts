/**
 * The registry of what the page can do: an action may be a tool of the assistant, a menu item and a
 * command at once. Framework-free, and separate from the client, so that a page without actions
 * does not load it.
 */
import { Subscribable, type PagesideClient } from "@pageside/core";
import { ActionList, type Attached } from "./list.js";
import { loadRunning } from "./load.js";
import { toolActions } from "./tools.js";
import type { UiAction, UiActions } from "./types.js";
import { wiring } from "./wires.js";

export type * from "./types.js";

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
  const list = new ActionList(() => toolActions(client));
  const changes = new Subscribable();
  let app: string | undefined;
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
    getAction: (id) => list.get(id),
    getActions: ({ type, appId } = {}) =>
      list.withTools(type).filter((each) => appId === undefined || (each.appId ?? appId) === appId),
    setCurrentApp(appId) {
      app = appId;
      client.pageChanged();
    },
    addTriggerAction: (trigger, action) => registered(list.attach(trigger, action as Attached | UiAction)),
    executeTriggerActions: async (trigger, context = {}, options = {}) =>
      (await loadRunning()).runAttached(host, trigger, list.of(trigger), context, options),
    subscribe(listener) {
      const undo = [changes.subscribe(listener), onTools(client, listener)];
      return () => undo.forEach((each) => each());
    },
  };
  const host = { client, actions, currentApp: () => app ?? client.getPlace()?.page };
  const wire = wiring(host);
  return actions;
}

/** Calls the listener when tools of the page come or go. The function undoes it. */
function onTools(client: PagesideClient, listener: () => void): () => void {
  const idsOf = () => toolActions(client).map(({ id }) => id).join(" "); // prettier-ignore
  let before = idsOf();
  return client.subscribePage(() => {
    const now = idsOf();
    if (now === before) return;
    before = now;
    listener();
  });
}
