/**
 * Runs actions: one or all of a trigger, or one by its command, asking the user first if needed.
 */
import type { Approval, Json } from "@pageside/core";
import { askUser, checkArguments, runCall, type Asked, type Definition } from "@pageside/core/running";
import { isToolAction, nameOfTool, type ActionHost, type Called } from "./list.js";
import type { UiAction, UiTrigger } from "./types.js";

type Given = { actionId?: string; args?: unknown } & Record<string, unknown>;

/**
 * Runs the compatible ones of `all` in parallel, or only the named one, which must be compatible.
 */
export async function runAttached(
  host: ActionHost,
  trigger: UiTrigger,
  all: readonly (UiAction | Called)[],
  context: Given,
  { chosen }: { chosen?: boolean },
): Promise<unknown> {
  const { actionId, args } = context;
  const given = actionId === undefined ? context : (args ?? context);
  if (actionId === undefined) {
    const open = await Promise.all(all.map((each) => isOpen(each, given)));
    return Promise.all(all.filter((_, index) => open[index]).map((each) => start(host, each, given, chosen)));
  }
  const byId = (id: string) => all.find((each) => "id" in each && each.id === id);
  const isTool = trigger === "assistant-tool";
  if (isTool && !byId(actionId) && isToolAction(host.actions.getAction(actionId) ?? {}))
    return runTool(host, actionId, args, chosen);
  const named = byId(actionId) ?? (isTool ? byId(nameOfTool(actionId)) : undefined);
  if (!named) throw new Error(`Pageside: the trigger "${trigger}" has no action "${actionId}".`);
  if (!(await isOpen(named, given))) throw unusable(actionId);
  return start(host, named, given, chosen);
}

/** Runs the tool of the page that is an action too. */
function runTool(host: ActionHost, actionId: string, args: unknown, chosen?: boolean): Promise<unknown> {
  return runCall(host.client, nameOfTool(actionId), args ?? {}, { chosen }, true);
}

/**
 * Runs it, after asking the user if needed. An action just chosen in a menu asks only with
 * `confirmsAlways`.
 */
async function start(
  host: ActionHost,
  action: UiAction | Called,
  context: unknown,
  chosen?: boolean,
): Promise<unknown> {
  if ("id" in action && isToolAction(action)) return runTool(host, action.id, context, chosen);
  if (!("id" in action) || (chosen && !action.confirmsAlways)) return action.execute(context as never);
  return runConfirmed(host, action, context);
}

/** Runs the action, after the user has agreed if it asks. */
export async function runConfirmed(host: ActionHost, action: UiAction, context: unknown): Promise<unknown> {
  const args = await confirmed(host, action, context);
  // read again: the user may have taken a while
  return run(host.actions.getAction(action.id) ?? action, args);
}

/** Runs the action if it is compatible now. */
export async function run(action: UiAction, context: unknown): Promise<unknown> {
  if (await isOpen(action, context)) return action.execute(context as never);
  throw unusable(action.id);
}

/** Runs the action unless it is incompatible now. */
export async function runIfOpen(action: UiAction, context: unknown): Promise<unknown> {
  return (await isOpen(action, context)) ? action.execute(context as never) : undefined;
}

async function isOpen(action: UiAction | Called, context: unknown): Promise<boolean> {
  return "isCompatible" in action && action.isCompatible ? action.isCompatible(context as never) : true;
}

const unusable = (id: string) => new Error(`Pageside: the action "${id}" cannot be used here and now.`);

async function confirmed(host: ActionHost, action: UiAction, context: unknown): Promise<unknown> {
  const { id, requiresConfirmation: asks, description, parameters, destructive, getDisplayName } = action;
  const question = typeof asks === "function" ? await asks(context as Record<string, unknown>) : asks;
  if (question === undefined || question === false) return context;
  const label = getDisplayName?.() ?? id;
  const message = typeof question === "string" ? question : undefined;
  const asked = { from: "action", name: id, label, message, args: context } as const;
  const definition = { description: description ?? label, parameters, destructive };
  const { approved, args } = await answerTo(host, asked, definition);
  if (!approved) throw Object.assign(new Error(`The user denied "${id}". Nothing was done.`), { name: "denied" });
  if (args === undefined || !parameters) return args ?? context;
  return checkArguments(args, parameters);
}

/**
 * Asks the user. Withdraws the question when the action is unregistered, unless it is registered
 * anew.
 */
async function answerTo({ client, actions }: ActionHost, asked: Asked, definition: Definition): Promise<Approval> {
  const gone = new AbortController();
  const withdraw = () => {
    if (!actions.getAction(asked.name)) gone.abort(unusable(asked.name));
  };
  withdraw();
  gone.signal.throwIfAborted();
  // a component that registers anew unregisters first
  const undo = actions.subscribe(() => queueMicrotask(withdraw));
  const given = await askUser(client, asked, definition, gone.signal).finally(undo);
  withdraw();
  gone.signal.throwIfAborted();
  return given;
}

/** Runs the action with the text after its command. */
export async function runCommand(host: ActionHost, action: UiAction, text: string): Promise<unknown> {
  try {
    return await runConfirmed(host, action, argumentsOf(action, text));
  } catch (cause) {
    if ((cause as Error | undefined)?.name === "denied") return undefined; // the user denied it
    throw cause;
  }
}

/** The arguments after a command: JSON, or the value of the only (or only required) parameter. */
function argumentsOf({ parameters }: UiAction, text: string): Record<string, unknown> {
  const { properties = {}, required = [] } = (parameters ?? {}) as { properties?: object; required?: string[] };
  if (text.trim() === "") return {};
  if (text.trim().startsWith("{")) {
    try {
      return JSON.parse(text);
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
