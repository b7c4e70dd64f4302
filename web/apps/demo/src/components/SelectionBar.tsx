import { useAssistantActions } from "@pageside/react";
import { useDiscover } from "../app/discover-context.ts";
import { Icon } from "./Icon.tsx";
import { SELECTED_ROWS } from "../assistant/labels.ts";

/** What can be done with the ticked rows. */
export function SelectionBar() {
  const { snapshot, model } = useDiscover();
  const { client, open, send } = useAssistantActions();
  const count = snapshot.selected.length;
  if (count === 0) return null;
  const ask = () => {
    const entry = client.getContextEntries().find(({ label }) => label === SELECTED_ROWS);
    open();
    void send(`Explain ${SELECTED_ROWS}`, { mentions: entry ? [entry.id] : [] });
  };
  return (
    <div className="selection" role="group" aria-label="Selected rows">
      <span className="selection-count">{count.toLocaleString("en")} selected</span>
      <button type="button" className="button button-soft selection-ask" onClick={ask}>
        <Icon name="sparkle" size={14} />
        Ask about {count === 1 ? "it" : "them"}
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label="Clear selection"
        title="Clear selection"
        onClick={() => model.selectRows([])}
      >
        <Icon name="cross" size={14} />
      </button>
    </div>
  );
}
