import { useAssistantAction } from "@pageside/react";
import { useState } from "react";
import { Button } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { Popover } from "../ui/Popover.tsx";
import { useStore } from "../ui/store.ts";
import { count } from "../ui/text.ts";
import { panelState, ToolPanel } from "../ui/ToolPanel.tsx";
import { NamedList } from "./NamedList.tsx";
import { SavedQueries, viewOf, type SavedQuery } from "./saved-queries.ts";
import type { Outcome } from "./tools.ts";
import { useDiscover } from "./use-discover.ts";

/** One list for the page, because the tray, outside Discover, undoes deletions too. */
export const savedQueries = new SavedQueries(localStorage);

/** The user's saved queries: to save the current one, run one again, or delete one. */
export function SavedQueriesMenu() {
  return (
    <Popover
      label="Saved queries"
      align="end"
      title="Saved queries"
      aria-label="Saved queries"
      icon="bookmark"
      text={<span className="wide-text">Saved</span>}
    >
      <SavedQueriesPanel />
    </Popover>
  );
}

function SavedQueriesPanel() {
  const { snapshot, dispatch } = useDiscover();
  const { list, deleted } = useStore(savedQueries);
  const [name, setName] = useState("");
  const save = () => {
    savedQueries.save(name, snapshot.view);
    setName("");
  };
  return (
    <NamedList
      items={list}
      note={noteOf}
      onRun={(saved) => dispatch({ type: "navigate", view: viewOf(saved) })}
      onDelete={(saved) => savedQueries.remove(saved.name)}
      deleted={deleted?.saved}
      onUndo={() => savedQueries.restore()}
    >
      <form className="save-query" action={save}>
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
      {list.length === 0 && <p className="list-row muted">Nothing is saved yet.</p>}
    </NamedList>
  );
}

/** "With a time range and 2 filters". */
function noteOf(saved: SavedQuery): string {
  const { time, filters } = viewOf(saved);
  const more = [time && "a time range", filters.length > 0 && count(filters.length, "filter")].filter(Boolean);
  return more.length > 0 ? `With ${more.join(" and ")}` : "";
}

/** Deletes a saved query once the user has agreed. */
export function useSavedQueryTool(): void {
  useAssistantAction<{ name: string }, Outcome>({
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
        {call.result?.success && <UndoDeletion name={call.result.name as string} />}
      </ToolPanel>
    ),
  });
}

function deleteSaved(name: string): Outcome {
  const saved = savedQueries.remove(name);
  if (saved) return { success: true, message: `Deleted “${saved.name}”`, name: saved.name };
  const names = savedQueries.getSnapshot().list.map((each) => `“${each.name}”`);
  const there = names.length > 0 ? `There are: ${names.join(", ")}.` : "Nothing is saved.";
  return { success: false, error: `There is no saved query “${name}”. ${there}` };
}

/** Shown for the newest deletion: an older one cannot be undone. */
function UndoDeletion({ name }: { name: string }) {
  const { deleted } = useStore(savedQueries);
  if (deleted?.saved.name !== name) return null;
  return (
    <Button kind="quiet" icon="undo" onClick={() => savedQueries.restore()}>
      Undo
    </Button>
  );
}
