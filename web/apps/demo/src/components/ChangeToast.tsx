import { useEffect, useState } from "react";
import { useDiscover } from "../app/discover-context.ts";
import type { ViewPart } from "../state/view.ts";
import { Icon } from "./Icon.tsx";
import "./toast.css";

const shownFor = 12_000;

/**
 * Says what the assistant changed and offers to undo it. It waits while the pointer or the focus is
 * on it.
 */
export function ChangeToast() {
  const { snapshot, dispatch } = useDiscover();
  const { change, flash } = snapshot;
  return (
    <div className="toasts" role="status">
      {change && (
        <Toast
          key={flash.seq}
          text={`${sentence(change.parts)} changed by the assistant`}
          onUndo={() => dispatch({ type: "undo" })}
          onClose={() => dispatch({ type: "dismiss-change" })}
        />
      )}
    </div>
  );
}

interface ToastProps {
  text: string;
  onUndo(): void;
  onClose(): void;
}

function Toast({ text, onUndo, onClose }: ToastProps) {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(onClose, shownFor);
    return () => clearTimeout(timer);
    // A new closure on every render must not start the time again.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [held]);
  return (
    <div
      className="toast"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon name="sparkle" size={15} />
      <span>{text}</span>
      <button type="button" className="toast-undo" onClick={onUndo}>
        <Icon name="undo" size={14} />
        Undo
      </button>
      <button type="button" className="toast-close" aria-label="Dismiss" onClick={onClose}>
        <Icon name="cross" size={14} />
      </button>
    </div>
  );
}

const words: Record<ViewPart, string> = { query: "query", time: "time range", filters: "filters" };

/** "Query and time range". */
function sentence(parts: ViewPart[]): string {
  const text = new Intl.ListFormat("en").format(parts.map((part) => words[part]));
  return text.charAt(0).toUpperCase() + text.slice(1);
}
