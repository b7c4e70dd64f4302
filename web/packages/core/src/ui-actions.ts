/**
 * What the page can do, in one registry: an action may be a tool of the assistant, an item of a menu and a command of the
 * message box at once. Framework-free, and apart from the client: a page without actions does not bring it along.
 */
import { commandsOf } from "./commands.js";
import type { UiAction, UiActions, UiTrigger } from "./types-page.js";
import type { PagesideClient } from "./types.js";

const registries = new WeakMap<PagesideClient, UiActions>();

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
  let actions = registries.get(client);
  if (!actions) registries.set(client, (actions = createUiActions(client)));
  return actions;
}

export type Called = { execute: (context: never) => unknown };

/** One attachment to a trigger: an action by its id, which may come later, or what is called. */
type Attached = string | Called;

function createUiActions(client: PagesideClient): UiActions {
  const actions = new Map<string, UiAction>();
  const attached = new Map<UiTrigger, readonly { item: Attached }[]>();
  const listeners = new Set<() => void>();
  /** How each action is wired to the client, by `trigger:id`. */
  const wires = new Map<string, () => void>();
  let stopUpdates: (() => void) | undefined;

  /** What runs by itself runs nothing that asks. */
  const attachedTo = (trigger: UiTrigger): (UiAction | Called)[] => {
    const named = (attached.get(trigger) ?? []).map(({ item }) =>
      typeof item === "string" ? actions.get(item) : item,
    );
    const own = [...actions.values()].filter(({ type }) => type === trigger);
    const runs = (each: UiAction | Called | undefined) => each && !(RUNS_ITSELF.test(trigger) && asks(each));
    return [...new Set([...own, ...named])].filter((each) => runs(each)) as (UiAction | Called)[];
  };

  /** Ties the actions to the client as they are now: tools, commands, context. */
  function rewire(): void {
    const wanted = new Map<string, () => () => void>();
    for (const each of attachedTo("assistant-tool")) {
      if ("id" in each) wanted.set(key("tool", each), () => wireTool(client, each));
    }
    for (const each of attachedTo("capture-context")) {
      if ("id" in each) wanted.set(key("context", each), () => wireContext(client, each));
    }
    for (const each of actions.values()) {
      if (each.command) wanted.set(key("command", each), () => wireCommand(client, each));
      if (each.webMcp) wanted.set(key("webmcp", each), () => wireWebMcp(client, each));
    }
    for (const [name, undo] of [...wires]) {
      if (wanted.has(name)) continue;
      wires.delete(name);
      undo();
    }
    for (const [name, wire] of wanted) if (!wires.has(name)) wires.set(name, wire());
    const isHeard = attachedTo("context-updated").length > 0;
    if (isHeard) stopUpdates ??= client.subscribePage(() => void tellOfContext());
    else {
      stopUpdates?.();
      stopUpdates = undefined;
    }
    for (const listener of [...listeners]) listener();
  }

  async function tellOfContext(): Promise<void> {
    const context = { place: client.getPlace(), context: client.getContext() };
    await run("context-updated", context).catch((error: unknown) => console.error(error));
  }

  const run: UiActions["executeTriggerActions"] = async (trigger, context = {}, options = {}) =>
    (await running()).runAttached(client, trigger, attachedTo(trigger), context, options);

  return {
    registerAction(action) {
      const item = action as unknown as UiAction;
      if (actions.has(item.id)) throw new Error(`Pageside: there is an action "${item.id}" already.`);
      if (RUNS_ITSELF.test(item.type) && asks(item))
        throw new Error(`Pageside: the action "${item.id}" runs by itself (${item.type}), and cannot ask.`);
      actions.set(item.id, item);
      rewire();
      return () => {
        if (actions.get(item.id) !== item) return;
        actions.delete(item.id);
        rewire();
      };
    },
    unregisterAction(id) {
      if (actions.delete(id)) rewire();
    },
    getAction: (id) => actions.get(id),
    getActions: ({ type, appId } = {}) =>
      (type === undefined ? [...actions.values()] : attachedTo(type)).filter(
        (each): each is UiAction => "id" in each && (appId === undefined || each.appId === appId),
      ),
    addTriggerAction(trigger, action) {
      const whole = typeof action === "object" && "id" in action ? action : undefined;
      const isNew = whole && !actions.has(whole.id);
      if (isNew) actions.set(whole.id, whole);
      const entry = { item: whole ? whole.id : (action as Attached) };
      attached.set(trigger, [...(attached.get(trigger) ?? []), entry]);
      rewire();
      return () => {
        attached.set(trigger, attached.get(trigger)!.filter((other) => other !== entry)); // prettier-ignore
        if (isNew && actions.get(whole.id) === whole) actions.delete(whole.id);
        rewire();
      };
    },
    executeTriggerActions: run,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Of one action in one role; another action of the same id is wired anew. */
const numbers = new WeakMap<object, number>();
let count = 0;

function key(role: string, action: UiAction): string {
  if (!numbers.has(action)) numbers.set(action, ++count);
  return `${role}:${action.id}:${numbers.get(action)}`;
}

/** Triggers that nobody starts. */
const RUNS_ITSELF = /^(capture-context|context-updated)$/;

const asks = (action: UiAction | Called) => "requiresConfirmation" in action && action.requiresConfirmation;

/** What running an action takes. */
const running = () => import("./ui-actions-run.js");

function nameOf({ id, getDisplayName, description }: UiAction): string {
  return description ?? getDisplayName?.() ?? id;
}

function wireTool(client: PagesideClient, action: UiAction): () => void {
  return client.registerTool<Record<string, unknown>>({
    name: action.id,
    description: nameOf(action),
    parameters: action.parameters,
    source: action.appId,
    requiresConfirmation: action.requiresConfirmation,
    destructive: action.destructive,
    handler: async (args) => (await running()).run(action, args),
  });
}

function wireContext(client: PagesideClient, action: UiAction): () => void {
  const { id, appId } = action;
  let last: unknown;
  return client.registerContext({
    id: `action:${id}`,
    description: nameOf(action),
    kind: "dynamic",
    source: appId,
    prepare: async () => {
      last = undefined; // what is old is worse than nothing
      last = await (await running()).runIfOpen(action, { appId });
    },
    value: () => last,
  });
}

function wireCommand(client: PagesideClient, action: UiAction): () => void {
  return commandsOf(client).register({
    ...action.command!,
    description: nameOf(action),
    handler: async (text) => (await running()).runCommand(client, action, text),
  });
}

function wireWebMcp(client: PagesideClient, action: UiAction): () => void {
  let undo: (() => void) | undefined;
  let isOver = false;
  void Promise.all([import("./web-mcp.js"), running()]).then(([{ expose }, { runConfirmed }]) => {
    if (!isOver) undo = expose(action, (args) => runConfirmed(client, action, args));
  });
  return () => {
    isOver = true;
    undo?.();
  };
}
