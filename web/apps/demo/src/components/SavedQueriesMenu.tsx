import { useId, useState, type FormEvent } from "react";
import { useDiscover } from "../app/discover-context.ts";
import { savedQueries, useSavedQueries } from "../app/saved-queries.ts";
import { viewOf, type SavedQuery } from "../state/saved-queries.ts";
import { Icon } from "./Icon.tsx";
import { Popover } from "./Popover.tsx";
import "./menus.css";

/** The user's saved queries: save what is on the page, run one again, delete one. */
export function SavedQueriesMenu() {
  return (
    <Popover
      label="Saved queries"
      align="end"
      button={(props) => (
        <button
          type="button"
          className="button button-quiet"
          title="Saved queries"
          aria-label="Saved queries"
          {...props}
        >
          <Icon name="bookmark" size={14} />
          <span className="wide-text">Saved</span>
        </button>
      )}
    >
      {(close) => <SavedQueriesPanel close={close} />}
    </Popover>
  );
}

function SavedQueriesPanel({ close }: { close(): void }) {
  const { dispatch } = useDiscover();
  const { list, deleted } = useSavedQueries();
  const run = (saved: SavedQuery) => {
    dispatch({ type: "navigate", view: viewOf(saved) });
    close();
  };
  return (
    <div className="alerts saved">
      <SaveForm />
      {list.length === 0 && <p className="alerts-empty">Nothing is saved yet.</p>}
      <ul>
        {list.map((saved) => (
          <SavedRow key={saved.name} saved={saved} onRun={() => run(saved)} />
        ))}
      </ul>
      {deleted && (
        <p className="alerts-undo" role="status">
          <span>“{deleted.saved.name}” deleted</span>
          <button type="button" className="button button-soft" onClick={() => savedQueries.restore()}>
            <Icon name="undo" size={14} />
            Undo
          </button>
        </p>
      )}
    </div>
  );
}

function SaveForm() {
  const { view } = useDiscover().snapshot;
  const [name, setName] = useState("");
  const id = useId();
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === "") return;
    savedQueries.save(name, view);
    setName("");
  };
  return (
    <form className="save-query" onSubmit={save}>
      <label htmlFor={id}>Save what is on the page as</label>
      <input
        id={id}
        className="input"
        data-autofocus
        value={name}
        maxLength={60}
        autoComplete="off"
        onChange={(event) => setName(event.target.value)}
      />
      <button type="submit" className="button button-soft" disabled={name.trim() === ""}>
        {savedQueries.find(name) ? "Replace" : "Save"}
      </button>
    </form>
  );
}

function SavedRow({ saved, onRun }: { saved: SavedQuery; onRun(): void }) {
  const { time, filters } = viewOf(saved);
  const more = [
    time && "a time range",
    filters.length > 0 && (filters.length === 1 ? "1 filter" : `${filters.length} filters`),
  ];
  const with_ = more.filter(Boolean).join(" and ");
  return (
    <li className="alert-row">
      <button type="button" className="saved-run" title={`Run ${saved.name}`} onClick={onRun}>
        <strong>{saved.name}</strong>
        {with_ && <span className="muted">With {with_}</span>}
        <code>{saved.query}</code>
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label={`Delete ${saved.name}`}
        title="Delete"
        onClick={() => savedQueries.remove(saved.name)}
      >
        <Icon name="cross" size={14} />
      </button>
    </li>
  );
}
