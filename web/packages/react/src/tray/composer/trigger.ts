import { useCallback, useState, type RefObject } from "react";
import { useLayoutEffect } from "../../hooks/effects.js";
import { focusedIn } from "../../ui/focus.js";
import { useElementEvent } from "../../ui/useElementEvent.js";
/** Where the user is writing a command or a mention. */
export interface Trigger {
  /** What is being written. */
  kind: "command" | "mention";
  /** Where the token begins, with its `/` or `@`. */
  from: number;
  /** The caret. */
  to: number;
  /** What stands between the sign and the caret. */
  query: string;
}

/**
 * The command or mention at the caret. A command stands at the beginning of a message (a path like
 * `/var/log` is none), a mention at the beginning of a word.
 */
export function findTrigger(text: string, caret: number): Trigger | undefined {
  const before = text.slice(0, caret);
  const command = /^\s*\/([\w-]*)$/.exec(before);
  if (command) return { kind: "command", from: before.indexOf("/"), to: caret, query: command[1]! };
  const mention = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (mention) return { kind: "mention", from: caret - mention[1]!.length - 1, to: caret, query: mention[1]! };
  return undefined;
}

/** A message that is a command: its name, and what follows it. */
export function parseCommand(text: string): { command: string; args: string } | undefined {
  const found = /^\s*(\/[A-Za-z0-9][\w-]*)(?:\s+([\s\S]*))?$/.exec(text);
  return found ? { command: found[1]!, args: found[2]?.trim() ?? "" } : undefined;
}

/** The command or mention at the caret while the box has the focus, and how to dismiss its list. */
export function useTrigger(areaRef: RefObject<HTMLTextAreaElement | null>, draft: string) {
  const [trigger, setTrigger] = useState<Trigger>();
  /** The token whose list the user has dismissed. */
  const [dismissed, setDismissed] = useState<Trigger>();

  const refresh = useCallback(() => {
    const area = areaRef.current;
    const isHere = area !== null && focusedIn(area) === area;
    const found = isHere && area.selectionStart === area.selectionEnd;
    const next = found ? findTrigger(area.value, area.selectionStart) : undefined;
    setTrigger((now) => (now && next && isSame(now, next) ? now : next));
    setDismissed((now) => (now && next && now.from === next.from && now.kind === next.kind ? now : undefined));
  }, [areaRef]);

  useLayoutEffect(refresh, [refresh, draft]);
  useElementEvent(areaRef, ["input", "keyup", "click", "focus", "blur", "select"], refresh);

  return {
    trigger: dismissed ? undefined : trigger,
    dismiss: () => setDismissed(trigger),
  };
}

const isSame = (a: Trigger, b: Trigger) =>
  a.kind === b.kind && a.from === b.from && a.to === b.to && a.query === b.query;
