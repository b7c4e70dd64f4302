import { useCallback, useState, type RefObject } from "react";
import { findTrigger, type Trigger } from "./trigger.js";
import { useElementEvent } from "./useBoxEvents.js";
import { focusedIn } from "../../ui/focus.js";
import { useLayoutEffect } from "../../ui/effects.js";

/**
 * The command or mention being written at the caret, while the box has the focus; and how to put it
 * away.
 */
export function useTrigger(areaRef: RefObject<HTMLTextAreaElement | null>, draft: string) {
  const [trigger, setTrigger] = useState<Trigger>();
  /** The token that the user put the list away for. */
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
