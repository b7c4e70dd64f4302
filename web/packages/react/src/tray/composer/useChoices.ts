import type { ContextEntryInfo, PagesideClient, SlashCommand } from "@pageside/core";
import { findMentions } from "@pageside/core/mentions";
import { useId, useState, type KeyboardEvent } from "react";
import { useLayoutEffect } from "../../hooks/effects.js";
import { useComposerLabels } from "../../labels/composer.js";
import { choicesOf, type Choice } from "./choices.js";
import { onListKey, useComboboxAttributes } from "./List.js";
import { type Trigger, useTrigger } from "./trigger.js";
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
export function useChoices(client: PagesideClient, { area, draft }: Box, offer: Offer) {
  const { commands, entries, write, onRun, onMention } = offer;
  const labels = useComposerLabels();
  const id = useId();
  const [active, setActive] = useState(0);
  const { trigger, dismiss } = useTrigger(area, draft);

  const replace = (by: string) => {
    const text = area.current?.value ?? draft;
    const { from, to } = trigger!;
    const next = text.slice(0, from) + by + text.slice(to).replace(/^ /, "");
    write(next, from + by.length);
    return next;
  };
  const found = choicesOf(trigger, {
    commands,
    entries,
    labels,
    onCommand: (command, how) => {
      if (how === "complete" || command.argumentHint) replace(`${command.command} `);
      else onRun(command, draft.slice(trigger!.to).trim());
    },
    onForget: (command) => removeCommand(client, command),
    onMention: (entry) => {
      const text = replace(`${labelOf(entry)} `);
      if (findMentions(text, [entry]).length === 0) onMention(entry.id);
    },
  });
  // The best fits come first, whatever their group.
  const options = trigger?.query ? found.map(({ group: _, ...choice }) => choice) : found;
  const at = Math.min(active, Math.max(options.length - 1, 0));
  useActiveReset(trigger, setActive);
  useComboboxAttributes(area, trigger && id, trigger && options.length > 0 ? `${id}-${at}` : undefined);

  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>): boolean =>
    trigger !== undefined &&
    onListKey(event, {
      count: options.length,
      active: at,
      onActive: setActive,
      onChoose: (index, how) => options[index]?.choose(how),
      onRemove: (index) => isAtEnd(area.current!) && remove(options[index]),
      onClose: dismiss,
    });
  return { id, kind: trigger?.kind, options, active: at, onActive: setActive, onKey };
}

/** Reports whether the Delete key has nothing to delete in the text. */
const isAtEnd = ({ selectionEnd, value }: HTMLTextAreaElement) => selectionEnd >= value.length;

/** Removes a choice; false if it stays. */
function remove(choice: Choice | undefined): boolean {
  choice?.remove?.();
  return choice?.remove !== undefined;
}

/** Another list or query begins at the top. */
function useActiveReset(trigger: Trigger | undefined, setActive: (index: number) => void) {
  const key = trigger && `${trigger.kind} ${trigger.query}`;
  useLayoutEffect(() => setActive(0), [key, setActive]);
}
