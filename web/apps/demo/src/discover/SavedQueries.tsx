import { useAssistantAction, useDynamicContext } from "@pageside/react";
import { useState, useSyncExternalStore } from "react";
import { Button, Deleted, IconButton } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { Popover } from "../ui/Popover.tsx";
import { count } from "../ui/text.ts";
import { panelState, ToolPanel } from "../ui/ToolPanel.tsx";
import { SavedQueries, viewOf, type SavedQuery } from "./saved-queries.ts";
import type { Outcome } from "./tools.ts";
import { useDiscover } from "./use-discover.ts";

/** One list for the page, because the tray, outside Discover, undoes deletions too. */
const savedQueries = new SavedQueries(localStorage);

const useSavedQueries = () => useSyncExternalStore(savedQueries.subscribe, savedQueries.getSnapshot);

/** The user's saved queries: to save the current one, run one again, or delete one. */
export function SavedQueriesMenu() {
  return (
    <Popover
      label="Saved queries"
      align="end"
      className="button button-quiet"
      title="Saved queries"
      aria-label="Saved queries"
      icon="bookmark"
      text={<span className="wide-text">Saved</span>}
    >
      {(close) => <SavedQueriesPanel close={close} />}
    </Popover>
  );
}

function SavedQueriesPanel({ close }: { close(): void }) {
  const { snapshot, dispatch } = useDiscover();
  const { list, deleted } = useSavedQueries();
  const [name, setName] = useState("");
  return (
    <div className="list">
      <form
        className="save-query"
        action={() => {
          savedQueries.save(name, snapshot.view);
          setName("");
        }}
      >
        <Field
          label="Save what is on the page as"
          data-autofocus
          maxLength={60}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" kind="soft" disabled={name.trim() === ""}>
          {savedQueries.find(name) ? "Replace" : "Save"}
        </Button>
      </form>
      {list.length === 0 && <p className="list-empty">Nothing is saved yet.</p>}
      <ul>
        {list.map((saved) => (
          <SavedRow
            key={saved.name}
            saved={saved}
            onRun={() => {
              dispatch({ type: "navigate", view: viewOf(saved) });
              close();
            }}
          />
        ))}
      </ul>
      {deleted && <Deleted name={deleted.saved.name} onUndo={() => savedQueries.restore()} />}
    </div>
  );
}

function SavedRow({ saved, onRun }: { saved: SavedQuery; onRun(): void }) {
  const { time, filters } = viewOf(saved);
  const more = [time && "a time range", filters.length > 0 && count(filters.length, "filter")].filter(Boolean);
  return (
    <li className="list-row">
      <button type="button" title={`Run ${saved.name}`} onClick={onRun}>
        <strong>{saved.name}</strong>
        {more.length > 0 && <small>With {more.join(" and ")}</small>}
        <code>{saved.query}</code>
      </button>
      <IconButton
        icon="cross"
        label={`Delete ${saved.name}`}
        title="Delete"
        size={14}
        onClick={() => savedQueries.remove(saved.name)}
      />
    </li>
  );
}

/** Tells the assistant which queries are saved, if any. */
export function SavedQueriesContext() {
  return useSavedQueries().list.length > 0 && <Names />;
}

function Names() {
  useDynamicContext({
    description: "Discover: saved queries",
    value: () => savedQueries.getSnapshot().list.map(({ name, query }) => ({ name, query })),
    source: "Discover",
  });
  return null;
}

/** Deletes a saved query once the user has agreed. */
export function useSavedQueryTool(): void {
  useAssistantAction<{ name: string }, Outcome<{ name: string }>>({
    name: "delete_saved_query",
    description: "Delete one of the user's saved queries. The user is asked first, and can undo it on the page.",
    parameters: {
      type: "object",
      properties: { name: { type: "string", description: "Its name, as the context Discover: saved queries has it" } },
      required: ["name"],
      additionalProperties: false,
    },
    effect: "write",
    // Does not ask about an unknown query: the handler reports it.
    requiresConfirmation: ({ name }) => {
      const saved = savedQueries.find(name);
      return saved ? `Delete the saved query “${saved.name}”? It is: ${saved.query}` : false;
    },
    handler: ({ name }) => deleteSaved(name),
    render: (call) => (
      <ToolPanel
        {...panelState(call, { busy: "Waiting for you to agree", failed: "Nothing was deleted" })}
        {...(call.status === "denied" && { tone: "neutral", message: "Not deleted" })}
      >
        {call.result?.success && <UndoDeletion name={call.result.name} />}
      </ToolPanel>
    ),
  });
}

function deleteSaved(name: string): Outcome<{ name: string }> {
  const saved = savedQueries.remove(name);
  if (saved) return { success: true, message: `Deleted “${saved.name}”`, name: saved.name };
  const names = savedQueries.getSnapshot().list.map((each) => `“${each.name}”`);
  const there = names.length > 0 ? `There are: ${names.join(", ")}.` : "Nothing is saved.";
  return { success: false, error: `There is no saved query “${name}”. ${there}` };
}

/** Shown for the newest deletion: an older one cannot be undone. */
function UndoDeletion({ name }: { name: string }) {
  const { deleted } = useSavedQueries();
  if (deleted?.saved.name !== name) return null;
  return (
    <Button kind="quiet" icon="undo" onClick={() => savedQueries.restore()}>
      Undo
    </Button>
  );
}
