import type { ReactNode } from "react";
import { Button, IconButton } from "../ui/Button.tsx";

interface Named {
  id?: string;
  name: string;
  query: string;
}

interface NamedListProps<Item> {
  items: readonly Item[];
  /** What else is to be said of one. */
  note(item: Item): string;
  /** Runs one. */
  onRun?(item: Item): void;
  onDelete(item: Item): void;
  /** What was deleted last. */
  deleted: Named | null | undefined;
  onUndo(): void;
  /** Shown above. */
  children?: ReactNode;
}

/** Queries under names, with the ways to delete one and to bring the last one back. */
export function NamedList<Item extends Named>({ items, note, onRun, ...props }: NamedListProps<Item>) {
  const { onDelete, deleted, onUndo } = props;
  const Told = onRun ? "button" : "div";
  return (
    <div className="list">
      {props.children}
      <ul>
        {items.map((item) => (
          <li key={item.id ?? item.name} className="list-row">
            <Told data-close={onRun && ""} title={onRun && `Run ${item.name}`} onClick={() => onRun?.(item)}>
              <strong>{item.name}</strong>
              {note(item) && <small>{note(item)}</small>}
              <code>{item.query}</code>
            </Told>
            <IconButton icon="cross" label={`Delete ${item.name}`} size={14} onClick={() => onDelete(item)} />
          </li>
        ))}
      </ul>
      {deleted && (
        <p className="well row" role="status">
          <span className="spring">“{deleted.name}” deleted</span>
          <Button kind="soft" icon="undo" onClick={onUndo}>
            Undo
          </Button>
        </p>
      )}
    </div>
  );
}
