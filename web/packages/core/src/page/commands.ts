/**
 * The `/commands` of a client: a registry of its own, so that a page without commands does not
 * bring it along.
 */
import { membersOf } from "../base/values.js";
import type { Extensible } from "../base/extensible.js";
import { Subscribable } from "../base/subscribable.js";
import type { PageApi } from "./api.js";
import type { Commands, SlashCommand } from "./types.js";

const COMMANDS = Symbol("commands");

/** The storage key of the user's own commands, for all clients of this browser. */
const KEY = "pageside:commands";

const NAME = /^\/[\w-]+$/;

type CommandClient = Extensible & Pick<PageApi, "allows" | "subscribePage">;

/**
 * The commands of a client, including those that the user made in this browser.
 *
 * @example
 * const undo = commandsOf(client).register({
 *   command: "/analyze",
 *   description: "Analyze the current data",
 *   prompt: "Analyze the current data and show key insights",
 * });
 */
export function commandsOf(client: CommandClient): Commands {
  return client.extension(COMMANDS, createCommands);
}

function createCommands(client: CommandClient): Commands {
  /** All registrations, oldest first, and those that their plug-ins may register. */
  let stack: readonly SlashCommand[] = [];
  let allowed: readonly SlashCommand[] = [];
  let list: readonly SlashCommand[] | undefined;
  const changes = new Subscribable();

  const change = (next: readonly SlashCommand[]) => {
    stack = next;
    list = undefined;
    changes.notify();
  };
  const permitted = () => stack.filter(({ source }) => client.allows("prompts", source));
  const all = () => (list ??= sorted((allowed = permitted())));

  stack = readCustom();
  // A plug-in may be registered after its commands: React runs the effects of children first.
  client.subscribePage(() => {
    const next = permitted();
    if (list && (next.length !== allowed.length || next.some((each, index) => each !== allowed[index]))) change(stack);
  });
  return {
    register(command) {
      const item = check({ ...command });
      // A command of the user replaces an earlier one with its name.
      const rest = item.custom ? stack.filter((other) => !(other.custom && isSame(other, item))) : stack;
      change([...rest, item]);
      if (item.custom) writeCustom(stack);
      return () => {
        if (!stack.includes(item)) return;
        change(stack.filter((other) => other !== item));
        if (item.custom) writeCustom(stack);
      };
    },
    all,
    find: (name) => all().find(({ command }) => command.toLowerCase() === name.trim().toLowerCase()),
    subscribe: changes.subscribe,
  };
}

function check(command: SlashCommand): SlashCommand {
  const { command: name, prompt, handler, custom } = command;
  const refuse = (why: string) => new Error(`Pageside: the command ${JSON.stringify(name)} ${why}.`);
  if (typeof name !== "string" || !NAME.test(name))
    throw refuse('must be a slash and then letters, digits, "-" and "_"');
  if (prompt === undefined && !handler) throw refuse("has no prompt and no handler");
  if (custom && (handler || typeof prompt !== "string"))
    throw refuse("is kept for this browser, so its prompt must be a text");
  return command;
}

const isSame = (a: SlashCommand, b: SlashCommand) => a.command.toLowerCase() === b.command.toLowerCase();

/**
 * The newest command of each name, in the position of the oldest. The page's commands win over the
 * user's.
 */
function sorted(stack: readonly SlashCommand[]): readonly SlashCommand[] {
  const byName = new Map<string, SlashCommand>();
  for (const command of stack) {
    const name = command.command.toLowerCase();
    if (!command.custom || (byName.get(name)?.custom ?? true)) byName.set(name, command);
  }
  const groups = [...new Set([...byName.values()].map(({ group = "" }) => group))].sort();
  return groups.flatMap((group) => [...byName.values()].filter((command) => (command.group ?? "") === group));
}

function readCustom(): SlashCommand[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isCustom).map((command) => ({ ...command, custom: true })) : [];
  } catch {
    return []; // no storage, or not our data
  }
}

function isCustom(value: unknown): value is SlashCommand {
  const { command, description, prompt } = membersOf(value);
  return typeof command === "string" && NAME.test(command) && typeof description === "string" && typeof prompt === "string"; // prettier-ignore
}

function writeCustom(stack: readonly SlashCommand[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(stack.filter(({ custom }) => custom)));
  } catch {
    // It is full, or switched off: the command is there until the page is left.
  }
}
