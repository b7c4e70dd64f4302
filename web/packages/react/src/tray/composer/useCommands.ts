import { commandsOf, type PagesideClient, type SlashCommand } from "@pageside/core";
import { useSyncExternalStore } from "react";
import type { useComposerLabels } from "../../labels/composer.js";

interface Deeds {
  help: () => void;
  exportThread: () => void | Promise<void>;
}

/** The commands of the page, of the user, and of the tray, which the page may replace. */
export function useCommands(
  client: PagesideClient,
  labels: ReturnType<typeof useComposerLabels>,
  running: boolean,
  { help, exportThread }: Deeds,
): readonly SlashCommand[] {
  const registry = commandsOf(client);
  const registered = useSyncExternalStore(registry.subscribe, registry.all, registry.all);
  const names = new Set(registered.map(({ command }) => command.toLowerCase()));
  const own: SlashCommand[] = [
    { command: "/help", description: labels.help, handler: help },
    { command: "/new", description: labels.newConversation, handler: () => client.newThread() },
    ...(running ? [{ command: "/stop", description: labels.stopCommand, handler: () => client.stop() }] : []),
    { command: "/export", description: labels.exportMarkdown, handler: exportThread },
  ];
  const custom = registered
    .filter((command) => command.custom)
    .map((command) => ({ ...command, group: labels.groupCustom }));
  const ours = own
    .filter(({ command }) => !names.has(command))
    .map((command) => ({ ...command, group: labels.conversation }));
  return [...registered.filter((command) => !command.custom), ...custom, ...ours];
}

/** The command of that name, whatever its case. */
export function findCommand(commands: readonly SlashCommand[], name: string): SlashCommand | undefined {
  return commands.find(({ command }) => command.toLowerCase() === name.toLowerCase());
}

/** What a command sends. */
export function promptOf({ prompt = "" }: SlashCommand, args: string): string {
  if (typeof prompt === "function") return prompt(args);
  return args ? `${prompt}\n${args}` : prompt;
}

/** Keeps a prompt of the user under a name, in this browser. */
export function saveCommand(client: PagesideClient, command: string, prompt: string): void {
  const description = prompt.replace(/\s+/g, " ").slice(0, 80);
  commandsOf(client).register({ command, description, prompt, custom: true });
}

/** Forgets a command of the user: it is registered anew, and that is undone. */
export function removeCommand(client: PagesideClient, { group: _, ...command }: SlashCommand): void {
  commandsOf(client).register(command)();
}
