/** The actions of a page, by id and by trigger. */
import type { PagesideClient } from "@pageside/core";
import type { UiAction, UiActions, UiTrigger } from "./types.js";

/** The beginning of the id of an action that is a tool: `assistant-<name>`. */
export const TOOL_PREFIX = "assistant-";

/** The actions that are tools of the page, so that none of them is made a tool again. */
const toolActions = new WeakSet<object>();

/** Marks the action as one that is a tool of the page. */
export const asToolAction = (action: UiAction): UiAction => (toolActions.add(action), action);

/** Reports whether the action is a tool of the page, rather than one that was registered here. */
export const isToolAction = (action: object): boolean => toolActions.has(action);

/** The name of the tool with that action's id. */
export const nameOfTool = (actionId: string): string =>
  actionId.startsWith(TOOL_PREFIX) ? actionId.slice(TOOL_PREFIX.length) : actionId;

/** Triggers that start by themselves. */
const RUNS_ITSELF = /^(capture-context|context-updated)$/;

const asks = (action: UiAction | Called) => "requiresConfirmation" in action && action.requiresConfirmation;

/** The actions of a client. */
export interface ActionHost {
  readonly client: PagesideClient;
  readonly actions: UiActions;
  /** The application the user is in, if that is known. */
  currentApp(): string | undefined;
}

/** A plain callback. */
export type Called = { execute: (context: never) => unknown };

/** An attachment to a trigger: an action's id, which may be registered later, or a callback. */
export type Attached = string | Called;

/** The actions by id, and the attachments of each trigger. */
export class ActionList {
  readonly byId = new Map<string, UiAction>();
  readonly #tools: () => UiAction[];
  readonly #attached = new Map<UiTrigger, readonly { item: Attached }[]>();

  /** `tools` are the tools of the page that are actions too, without being registered here. */
  constructor(tools: () => UiAction[]) {
    this.#tools = tools;
  }

  get(id: string): UiAction | undefined {
    return this.byId.get(id) ?? this.#tools().find((each) => each.id === id);
  }

  /** All actions, or those of a trigger, with the tools of the page. */
  withTools(trigger?: UiTrigger): UiAction[] {
    const tools = this.#tools().filter(({ id, type }) => !this.byId.has(id) && (trigger ?? type) === type);
    const ids = new Set(tools.map(({ id }) => id));
    return [...this.actions(trigger).filter(({ id }) => !ids.has(id)), ...tools];
  }

  /** What a trigger runs. A trigger that starts by itself runs no action that asks. */
  of(trigger: UiTrigger): (UiAction | Called)[] {
    const named = (this.#attached.get(trigger) ?? []).map(({ item }) =>
      typeof item === "string" ? this.get(item) : item,
    );
    const own = [...this.byId.values()].filter(({ type }) => type === trigger);
    const runs = (each: UiAction | Called | undefined): each is UiAction | Called =>
      each !== undefined && !(RUNS_ITSELF.test(trigger) && asks(each));
    return [...new Set([...own, ...named])].filter(runs);
  }

  /** The actions of a trigger, or all actions, without plain callbacks. */
  actions(trigger?: UiTrigger): UiAction[] {
    return (trigger === undefined ? [...this.byId.values()] : this.of(trigger)).filter((each) => "id" in each);
  }

  /** The function undoes it and returns whether there was something to undo. */
  add(action: UiAction): () => boolean {
    const { id, type } = action;
    if (this.byId.has(id) || isToolAction(action)) throw new Error(`Pageside: there is an action "${id}" already.`);
    if (RUNS_ITSELF.test(type) && asks(action))
      throw new Error(`Pageside: the action "${id}" runs by itself (${type}), and cannot ask.`);
    this.byId.set(id, action);
    return () => this.#remove(action);
  }

  /** Removes it, unless another action has its id now. */
  #remove(action: UiAction): boolean {
    return this.byId.get(action.id) === action && this.byId.delete(action.id);
  }

  /** The function undoes it. */
  attach(trigger: UiTrigger, action: Attached | UiAction): () => boolean {
    const whole = typeof action === "object" && "id" in action ? action : undefined;
    const isNew = whole && !this.byId.has(whole.id) && !isToolAction(whole);
    if (isNew) this.byId.set(whole.id, whole);
    const entry = { item: whole ? whole.id : action };
    this.#attached.set(trigger, [...(this.#attached.get(trigger) ?? []), entry]);
    return () => {
      this.#attached.set(trigger, this.#attached.get(trigger)!.filter((other) => other !== entry)); // prettier-ignore
      if (isNew) this.#remove(whole);
      return true;
    };
  }
}
