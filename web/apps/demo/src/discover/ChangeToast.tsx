import { IconButton } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { useDiscover } from "./use-discover.ts";

const words = { query: "query", time: "time range", filters: "filters" };

/** Says what the assistant changed and offers to undo it. */
export function ChangeToast() {
  const { snapshot, dispatch } = useDiscover();
  const parts = snapshot.change?.parts.map((part) => words[part]) ?? [];
  return (
    <div className="toasts" role="status">
      {parts.length > 0 && (
        <div className="toast">
          <Icon name="sparkle" size={15} />
          <span className="toast-text">{new Intl.ListFormat("en").format(parts)} changed by the assistant</span>
          <button type="button" className="toast-undo" onClick={() => dispatch({ type: "undo" })}>
            <Icon name="undo" size={14} />
            Undo
          </button>
          <IconButton icon="cross" label="Dismiss" size={14} onClick={() => dispatch({ type: "dismiss-change" })} />
        </div>
      )}
    </div>
  );
}
