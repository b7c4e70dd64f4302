import type { ContextEntryInfo, PagesideClient, SlashCommand } from "@pageside/core";
import { findMentions } from "@pageside/core/mentions";
import { useCallback, useId, type KeyboardEvent } from "react";
import { useLayoutEffect } from "../../hooks/effects.js";
import { useComposerLabels } from "../../labels/composer.js";
import { focusedIn } from "../../ui/focus.js";
import { onListKey, useComboboxAttributes, type Choice, type How } from "./List.js";
import { filter } from "./match.js";
import { findTrigger } from "./trigger.js";
import type { Box } from "./types.js";
import { removeCommand } from "./useCommands.js";
import { labelOf } from "./usePageEntries.js";
import type { Write } from "./useWriter.js";

interface Offer {
  commands: readonly SlashCommand[];
  entries: readonly ContextEntryInfo[];
  write: Write;
  onRun: (command: SlashCommand, args: string) => void;
  /** An entry was chosen whose label does not count as a mention at the caret. */
  onMention: (id: string) => void;
}

/** The commands or mentions that fit what is being written, and the keys that choose one. */
export function useChoices(client: PagesideClient, box: Box, offer: Offer) {
  const { commands, entries, write, onRun, onMention } = offer;
  const labels = useComposerLabels();
  const id = useId();
  const { area, state, dispatch } = box;
  const trigger = state.isDismissed ? undefined : state.trigger;
  const look = useTrigger(box);

  const replace = (by: string) => {
    const text = area.current?.value ?? state.text;
    const { from, to } = trigger!;
    const next = text.slice(0, from) + by + text.slice(to).replace(/^ /, "");
    write(next, from + by.length);
    return next;
  };
  const choiceOfCommand = (command: SlashCommand): Choice => {
    const { command: name, argumentHint: hint, description, group, custom } = command;
    const choose = (how: How) => {
      if (how === "complete" || hint) replace(`${name} `);
      else onRun(command, state.text.slice(trigger!.to).trim());
    };
    const removable = custom && { mark: labels.deleteHint, remove: () => removeCommand(client, command) };
    return { key: name, label: name, hint, description, group, choose, ...removable };
  };
  const choiceOfEntry = (entry: ContextEntryInfo): Choice => {
    const { id: key, description, auto, source: group } = entry;
    const choose = () => {
      const text = replace(`${labelOf(entry)} `);
      if (findMentions(text, [entry]).length === 0) onMention(key);
    };
    return { key, label: labelOf(entry), description, mark: auto ? labels.sentWhen(true) : undefined, group, choose };
  };
  const all =
    trigger?.kind === "command"
      ? commands.map(choiceOfCommand)
      : entries.filter(({ label }) => label).map(choiceOfEntry);
  const query = trigger?.query ?? "";
  const found = filter(all, query, ({ label, description }) => ({ name: label.slice(1), description }));
  // The best fits come first, whatever their group.
  const choices = query ? found.map(({ group: _, ...choice }) => choice) : found;
  const at = Math.min(state.active, Math.max(choices.length - 1, 0));
  useComboboxAttributes(area, trigger && id, trigger && choices.length > 0 ? `${id}-${at}` : undefined);

  const list = { choices, active: at, onActive: (active: number) => dispatch({ type: "set", to: { active } }) };
  const dismiss = () => dispatch({ type: "set", to: { isDismissed: true } });
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>): boolean =>
    trigger !== undefined && onListKey(event, { ...list, onClose: dismiss });
  return { list: trigger && { ...list, id, kind: trigger.kind }, onKey, look };
}

/**
 * Follows the command or mention at the caret while the box has the focus; what is returned looks
 * again. Call it in React's own handlers: from any other, React would draw the field with the text
 * from before its change, and take away what was typed.
 */
function useTrigger({ area: areaRef, state: { text }, dispatch }: Box): () => void {
  const look = useCallback(() => {
    const area = areaRef.current;
    const isHere = area !== null && focusedIn(area) === area && area.selectionStart === area.selectionEnd;
    dispatch({ type: "trigger", trigger: isHere ? findTrigger(area.value, area.selectionStart) : undefined });
  }, [areaRef, dispatch]);

  useLayoutEffect(look, [look, text]);
  return look;
}
