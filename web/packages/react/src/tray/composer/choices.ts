import type { ContextEntryInfo, SlashCommand } from "@pageside/core";
import type { useComposerLabels } from "../../labels/composer.js";
import type { Option } from "./List.js";
import { filter } from "./match.js";
import type { Trigger } from "./trigger.js";
import { labelOf } from "./usePageEntries.js";

/** How a line of the list is taken: `complete` is the Tab key, which writes and does not send. */
type How = "take" | "complete";

/** A line of the list, and what taking it does. */
export interface Choice extends Option {
  /** Takes the line. */
  choose: (how: How) => void;
  /** Takes the line out of the list; absent if it stays. */
  remove?: () => void;
}

interface Offered {
  commands: readonly SlashCommand[];
  entries: readonly ContextEntryInfo[];
  labels: ReturnType<typeof useComposerLabels>;
  onCommand: (command: SlashCommand, how: How) => void;
  /** Of a command that the user made. */
  onForget: (command: SlashCommand) => void;
  onMention: (entry: ContextEntryInfo) => void;
}

/** The choices for the token that is being written. */
export function choicesOf(trigger: Trigger | undefined, offered: Offered): Choice[] {
  if (!trigger) return [];
  return trigger.kind === "command" ? commandChoices(trigger.query, offered) : mentionChoices(trigger.query, offered);
}

function commandChoices(query: string, { commands, labels, onCommand, onForget }: Offered): Choice[] {
  const found = filter(commands, query, ({ command, description }) => ({ name: command.slice(1), description }));
  return found.map((command) => ({
    ...commandOption(command, labels),
    choose: (how) => onCommand(command, how),
    ...(command.custom && { remove: () => onForget(command) }),
  }));
}

function mentionChoices(query: string, { entries, labels, onMention }: Offered): Choice[] {
  const named = entries.filter(({ label }) => label);
  const found = filter(named, query, (entry) => ({ name: labelOf(entry).slice(1), description: entry.description }));
  return found.map((entry) => ({
    key: entry.id,
    label: labelOf(entry),
    description: entry.description,
    ...(entry.auto && { mark: labels.sentWhen(true) }),
    ...(entry.source && { group: entry.source }),
    choose: () => onMention(entry),
  }));
}

function commandOption(command: SlashCommand, labels: Offered["labels"]): Option {
  const { command: name, argumentHint, description, group, custom } = command;
  return {
    key: name,
    label: name,
    description,
    ...(argumentHint && { hint: argumentHint }),
    ...(group && { group }),
    ...(custom && { mark: labels.deleteHint, removeLabel: labels.removeItem(name) }),
  };
}
