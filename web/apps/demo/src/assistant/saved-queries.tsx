import { useAssistantAction, useDynamicContext } from "@pageside/react";
import { savedQueries, useSavedQueries } from "../app/saved-queries.ts";
import { Icon } from "../components/Icon.tsx";
import { ToolPanel, panelState } from "./ToolPanel.tsx";
import type { ToolFailure } from "./tools.ts";

interface DeleteArgs {
  name: string;
}

interface Deleted {
  success: true;
  message: string;
  name: string;
}

/** Tells which queries are saved, where there are some. */
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
  useAssistantAction<DeleteArgs, Deleted | ToolFailure>({
    name: "delete_saved_query",
    description: "Delete one of the user's saved queries. The user is asked first, and can undo it on the page.",
    parameters: {
      type: "object",
      properties: { name: { type: "string", description: "Its name, as the context Discover: saved queries has it" } },
      required: ["name"],
      additionalProperties: false,
    },
    // Nobody is asked about what is not there: the handler says so.
    requiresConfirmation: ({ name }) => {
      const saved = savedQueries.find(name);
      return saved ? `Delete the saved query “${saved.name}”? It is: ${saved.query}` : false;
    },
    handler: ({ name }) => deleteSaved(name),
    render: (call) => (
      <>
        <ToolPanel
          {...panelState(call, { busy: "Waiting for you to agree", failed: "Nothing was deleted" })}
          {...(call.status === "denied" && { tone: "neutral", message: "Not deleted" })}
        />
        {call.result?.success && <UndoDeletion name={call.result.name} />}
      </>
    ),
  });
}

function deleteSaved(name: string): Deleted | ToolFailure {
  const saved = savedQueries.remove(name);
  if (saved) return { success: true, message: `Deleted “${saved.name}”`, name: saved.name };
  const names = savedQueries.getSnapshot().list.map((each) => `“${each.name}”`);
  const there = names.length > 0 ? `There are: ${names.join(", ")}.` : "Nothing is saved.";
  return { success: false, error: `There is no saved query “${name}”. ${there}` };
}

/** While it is the newest deletion: an older one is not kept. */
function UndoDeletion({ name }: { name: string }) {
  const { deleted } = useSavedQueries();
  if (deleted?.saved.name !== name) return null;
  return (
    <button type="button" className="button button-soft tool-panel-undo" onClick={() => savedQueries.restore()}>
      <Icon name="undo" size={14} />
      Undo
    </button>
  );
}
