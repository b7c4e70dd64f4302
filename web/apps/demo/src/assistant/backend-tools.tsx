import { useAssistantAction, type ToolRenderProps } from "@pageside/react";
import { useEffect, useRef } from "react";
import type { Alert } from "../api/types.ts";
import { useDiscover } from "../app/discover-context.ts";
import type { Discover } from "../state/discover.ts";
import { Steps } from "./Steps.tsx";
import { ToolPanel } from "./ToolPanel.tsx";

/*
 * Tools of the server that the page only draws: nothing of them runs here.
 */

interface AlertArgs {
  name?: string;
  query?: string;
}

const alertSteps = [
  { id: "validate", label: "Check the query" },
  { id: "dry run", label: "Try it on the whole log" },
  { id: "save", label: "Save it" },
];

const clientSteps = [
  { id: "requests", label: "Count its requests" },
  { id: "pages", label: "What it asked for" },
  { id: "answers", label: "What it got" },
  { id: "browsers", label: "What it says it is" },
  { id: "hours", label: "Its busiest hour" },
];

/** How making an alert goes on, and what became of deleting one. */
export function useAlertTools(): void {
  // The tray stands outside of Discover: what is drawn there has no context.
  const { model } = useDiscover();
  useAssistantAction<AlertArgs, Partial<Alert>>({
    name: "create_alert",
    description: "Making an alert",
    available: "disabled",
    render: (call) => <AlertCall {...call} model={model} />,
  });
  useAssistantAction<{ alert?: string }, { deleted?: Alert }>({
    name: "delete_alert",
    description: "Deleting an alert",
    available: "disabled",
    render: (call) => <DeletedCall {...call} model={model} />,
  });
}

/** How looking a client up goes on. */
export function useClientTool(): void {
  useAssistantAction<{ clientip?: string }, { requests?: number; verdict?: string }>({
    name: "look_up_client",
    description: "Looking a client up",
    available: "disabled",
    render: ({ args, result, ...call }) => (
      <div className="tool-panel" data-tone={tone(call.status, result?.verdict !== undefined)}>
        <div className="tool-panel-line">
          <strong>{args?.clientip ?? "A client"}</strong>
        </div>
        <Steps steps={clientSteps} {...progress(call, clientSteps, result?.verdict !== undefined)} />
        {result?.verdict && <p className="tool-panel-note">{result.verdict}</p>}
        {call.error && <p className="tool-panel-note">{call.error.message}</p>}
      </div>
    ),
  });
}

function AlertCall({ args, result, model, ...call }: ToolRenderProps<AlertArgs, Partial<Alert>> & { model: Discover }) {
  const saved = result?.id !== undefined;
  useWhenDone(saved, () => model.alertsChanged());
  return (
    <div className="tool-panel" data-tone={tone(call.status, saved)}>
      <div className="tool-panel-line">
        <strong>{args?.name ?? "New alert"}</strong>
      </div>
      <Steps steps={alertSteps} {...progress(call, alertSteps, saved)} />
      {args?.query && <code className="tool-panel-code">{args.query}</code>}
      {call.error && <p className="tool-panel-note">{call.error.message}</p>}
    </div>
  );
}

type DeletedProps = ToolRenderProps<{ alert?: string }, { deleted?: Alert }> & { model: Discover };

function DeletedCall({ result, model, ...call }: DeletedProps) {
  const deleted = result?.deleted;
  useWhenDone(deleted !== undefined, () => model.alertsChanged(deleted));
  if (deleted) return <ToolPanel tone="good" message={`Deleted “${deleted.name}”`} />;
  if (call.status === "awaiting-approval") return null; // the card that asks is enough
  if (call.status === "denied" || call.status === "cancelled")
    return <ToolPanel tone="neutral" message="Not deleted" />;
  if (call.status === "failed" || call.status === "complete")
    return <ToolPanel tone="bad" message={call.error?.message ?? "Nothing was deleted"} />;
  return <ToolPanel tone="busy" message="Deleting…" />;
}

/**
 * Calls once when something that was going on while it was drawn is done; not for what was done
 * before.
 */
function useWhenDone(done: boolean, then: () => void): void {
  const was = useRef(done);
  useEffect(() => {
    if (done && !was.current) then();
    was.current = done;
    // What is called is new with every render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [done]);
}

type Call = Pick<ToolRenderProps, "status" | "progress" | "error">;

function progress(call: Call, steps: readonly { id: string }[], done: boolean): { at: number; failed: boolean } {
  const at = steps.findIndex(({ id }) => id === call.progress?.stage);
  const over =
    call.status === "failed" || call.status === "cancelled" || call.status === "denied" || call.status === "complete";
  return { at: done ? steps.length : Math.max(at, 0), failed: over && !done };
}

function tone(status: ToolRenderProps["status"], done: boolean): "good" | "bad" | "busy" {
  if (done) return "good";
  return status === "pending" || status === "executing" || status === "awaiting-approval" ? "busy" : "bad";
}
