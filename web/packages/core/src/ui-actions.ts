/**
 * What the page can do, in one registry: an action may be a tool of the assistant, an item of a menu and a command of the
 * message box at once. Framework-free, and apart from the client: a page without actions does not bring it along.
 */
import { commandsOf } from "./commands.js";
import type { UiAction, UiActions, UiTrigger } from "./types-page.js";
import type { Json, PagesideClient } from "./types.js";

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

type Called = { execute: (context: never) => unknown };

/** One attachment to a trigger: an action by its id, which may come later, or what is called. */
type Attached = string | Called;

function createUiActions(client: PagesideClient): UiActions {
  const actions = new Map<string, UiAction>();
  const attached = new Map<UiTrigger, readonly { item: Attached }[]>();
  const listeners = new Set<() => void>();
  /** How each action is wired to the client, by `trigger:id`. */
  const wires = new Map<string, () => void>();
  let stopUpdates: (() => void) | undefined;

  const attachedTo = (trigger: UiTrigger): (UiAction | Called)[] => {
    const named = (attached.get(trigger) ?? []).map(({ item }) =>
      typeof item === "string" ? actions.get(item) : item,
    );
    const own = [...actions.values()].filter(({ type }) => type === trigger);
    return [...new Set([...own, ...named])].filter((each) => each !== undefined);
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
      if (each.webMcp) wanted.set(key("webmcp", each), () => wireWebMcp(each));
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

  async function run(
    trigger: UiTrigger,
    context: { actionId?: string; args?: unknown } & Record<string, unknown> = {},
  ) {
    const { actionId, args } = context;
    const given = (actionId === undefined ? context : (args ?? context)) as never;
    const all = attachedTo(trigger);
    if (actionId === undefined) {
      const open = await Promise.all(all.map((each) => isOpen(each, given)));
      return Promise.all(all.filter((_, index) => open[index]).map((each) => each.execute(given)));
    }
    const named = all.find((each) => "id" in each && each.id === actionId);
    if (!named) throw new Error(`Pageside: the trigger "${trigger}" has no action "${actionId}".`);
    if (!(await isOpen(named, given)))
      throw new Error(`Pageside: the action "${actionId}" cannot be used here and now.`);
    return named.execute(given);
  }

  return {
    registerAction(action) {
      const item = action as unknown as UiAction;
      if (actions.has(item.id)) throw new Error(`Pageside: there is an action "${item.id}" already.`);
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
      const isNew = typeof action === "object" && "id" in action && !actions.has(action.id);
      if (isNew) actions.set(action.id, action);
      const item: Attached = typeof action === "object" && "id" in action ? action.id : (action as Attached);
      const entry = { item };
      attached.set(trigger, [...(attached.get(trigger) ?? []), entry]);
      rewire();
      return () => {
        attached.set(trigger, attached.get(trigger)!.filter((other) => other !== entry)); // prettier-ignore
        if (isNew && actions.get(action.id) === action) actions.delete(action.id);
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

async function isOpen(action: UiAction | Called, context: never): Promise<boolean> {
  return "isCompatible" in action && action.isCompatible ? action.isCompatible(context) : true;
}

function nameOf({ id, getDisplayName, description }: UiAction): string {
  return description ?? getDisplayName?.() ?? id;
}

function wireTool(client: PagesideClient, action: UiAction): () => void {
  return client.registerTool<Record<string, unknown>>({
    name: action.id,
    description: nameOf(action),
    parameters: action.parameters,
    source: action.appId,
    handler: async (args) => {
      if (await isOpen(action, args as never)) return action.execute(args);
      throw new Error(`"${action.id}" cannot be used here and now.`);
    },
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
      const context = { appId } as never;
      if (await isOpen(action, context)) last = await action.execute(context);
    },
    value: () => last,
  });
}

function wireCommand(client: PagesideClient, action: UiAction): () => void {
  return commandsOf(client).register({
    ...action.command!,
    description: nameOf(action),
    handler: (args) => action.execute(argumentsOf(action, args)),
  });
}

/** What was written behind the command: JSON, or the value of the action's only (or only required) parameter. */
function argumentsOf({ parameters }: UiAction, text: string): Record<string, unknown> {
  const { properties = {}, required = [] } = (parameters ?? {}) as { properties?: object; required?: string[] };
  if (text.trim() === "") return {};
  if (text.trim().startsWith("{")) {
    try {
      return JSON.parse(text) as Record<string, unknown>;
    } catch {
      // It is a text that begins with a brace.
    }
  }
  const names = Object.keys(properties);
  const [name = names[0] ?? "args"] = required;
  const { type } = ((properties as Record<string, unknown>)[name] ?? {}) as { type?: Json };
  return {
    [name]: type === "number" || type === "integer" ? Number(text) : type === "boolean" ? text === "true" : text,
  };
}

function wireWebMcp(action: UiAction): () => void {
  let undo: (() => void) | undefined;
  let isOver = false;
  void import("./web-mcp.js").then(({ expose }) => {
    if (!isOver) undo = expose(action);
  });
  return () => {
    isOver = true;
    undo?.();
  };
}
