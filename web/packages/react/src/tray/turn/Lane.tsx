import { useState, type ComponentType } from "react";
import { useMessageLabels } from "../../labels/messages.js";
import { SparkIcon } from "../../ui/icons.js";
import { Disclosure } from "../transcript/Disclosure.js";
import type { ItemViewProps, TurnItem } from "./turns.js";

interface LaneProps extends Omit<ItemViewProps, "item"> {
  id: string;
  items: readonly TurnItem[];
  /** Draws an item, as in the answer. */
  Item: ComponentType<ItemViewProps>;
}

/** A subagent's work, open while it runs. */
export function Lane({ items, Item, streaming, toolLabels, isNew }: LaneProps) {
  const labels = useMessageLabels();
  const working = streaming !== undefined && items.some(({ id }) => id === streaming);
  const [chosen, setChosen] = useState<boolean>();
  const [seen, setSeen] = useState(working);
  if (working && !seen) setSeen(true);
  // Once seen running, it does not close by itself.
  const open = chosen ?? seen;
  return (
    <div className="ps-reasoning">
      <Disclosure icon={<SparkIcon />} open={open} onToggle={setChosen}>
        <span className={working ? "ps-tool-label ps-shimmer" : "ps-tool-label"}>{labels.subagent}</span>
        <span className="ps-grow ps-cut">{labels.callsDone(items.length)}</span>
      </Disclosure>
      {open && (
        <div className="ps-answer-body ps-lane-items ps-stack ps-grow">
          {items.map((item) => (
            <Item
              key={item.id}
              item={item}
              streaming={streaming}
              toolLabels={toolLabels}
              isNew={chosen === undefined ? isNew : undefined}
            />
          ))}
        </div>
      )}
    </div>
  );
}
