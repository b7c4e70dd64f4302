import { useEffect, useState } from "react";
import { IconButton } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import type { AssistantChange } from "./reducer.ts";
import { useDiscover } from "./use-discover.ts";

const shownFor = 12_000;
const words = { query: "query", time: "time range", filters: "filters" };

/** Says what the assistant changed and offers to undo it. */
export function ChangeToast() {
  const { change, flash } = useDiscover().snapshot;
  return (
    <div className="toasts" role="status">
      {change && <Toast key={flash.seq} change={change} />}
    </div>
  );
}

/** It stays as long as the pointer or the focus is on it. */
function Toast({ change }: { change: AssistantChange }) {
  const { dispatch } = useDiscover();
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => dispatch({ type: "dismiss-change" }), shownFor);
    return () => clearTimeout(timer);
  }, [held, dispatch]);
  const parts = new Intl.ListFormat("en").format(change.parts.map((part) => words[part]));
  const [hold, release] = [() => setHeld(true), () => setHeld(false)];
  return (
    <div className="toast" onPointerEnter={hold} onPointerLeave={release} onFocus={hold} onBlur={release}>
      <Icon name="sparkle" size={15} />
      <span className="toast-text">{parts} changed by the assistant</span>
      <button type="button" className="toast-undo" onClick={() => dispatch({ type: "undo" })}>
        <Icon name="undo" size={14} />
        Undo
      </button>
      <IconButton icon="cross" label="Dismiss" size={14} onClick={() => dispatch({ type: "dismiss-change" })} />
    </div>
  );
}
