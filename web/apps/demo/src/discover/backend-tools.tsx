import { useAssistantAction, type ToolRenderProps } from "@pageside/react";
import { useEffect, useRef, type ReactNode } from "react";
import { Icon } from "../ui/Icon.tsx";
import { ToolPanel } from "../ui/ToolPanel.tsx";
import type { Discover } from "./discover.ts";
import type { Alert } from "./types.ts";
import { useDiscover } from "./use-discover.ts";

/* Backend tools whose calls the page draws. */

const alertSteps = { validate: "Check the query", "dry run": "Try it on the whole log", save: "Save it" };

const clientSteps = {
  requests: "Count its requests",
  pages: "What it asked for",
  answers: "What it got",
  browsers: "What it says it is",
  hours: "Its busiest hour",
};

/** Shows the progress of making an alert, and the outcome of deleting one. */
export function useAlertTools(): void {
  // The tray is outside Discover, so its parts have no Discover context.
  const { model } = useDiscover();
  useAssistantAction<{ name?: string; query?: string }, Partial<Alert>>({
    name: "create_alert",
    description: "Making an alert",
    render: ({ args, result, ...call }) => (
      <StepsPanel
        title={args?.name ?? "New alert"}
        steps={alertSteps}
        call={call}
        done={result?.id !== undefined}
        onDone={() => void model.loadAlerts()}
      >
        {args?.query && <code>{args.query}</code>}
      </StepsPanel>
    ),
  });
  useAssistantAction<{ alert?: string }, { deleted?: Alert }>({
    name: "delete_alert",
    description: "Deleting an alert",
    render: (call) => <DeletedCall {...call} model={model} />,
  });
}

/** Shows the progress of looking a client up. */
export function useClientTool(): void {
  useAssistantAction<{ clientip?: string }, { verdict?: string }>({
    name: "look_up_client",
    description: "Looking a client up",
    render: ({ args, result, ...call }) => (
      <StepsPanel
        title={args?.clientip ?? "A client"}
        steps={clientSteps}
        call={call}
        done={result?.verdict !== undefined}
      >
        {result?.verdict && <p>{result.verdict}</p>}
      </StepsPanel>
    ),
  });
}

interface StepsPanelProps {
  title: string;
  /** What to show at each stage of the call. */
  steps: Readonly<Record<string, string>>;
  call: Pick<ToolRenderProps, "status" | "progress" | "error">;
  done: boolean;
  onDone?(): void;
  children: ReactNode;
}

/** The progress of a tool that takes several steps. */
function StepsPanel({ title, steps, call, done, onDone, children }: StepsPanelProps) {
  useWhenDone(done, onDone);
  const busy = ["pending", "executing", "awaiting-approval"].includes(call.status);
  const at = Object.keys(steps).indexOf(call.progress?.stage ?? "");
  return (
    <div className="tool-panel tool-steps" data-tone={done ? "good" : busy ? "busy" : "bad"}>
      <strong>{title}</strong>
      <ol className="steps">
        {Object.entries(steps).map(([stage, label], index) => {
          const now = Math.max(at, 0);
          const state = done || index < now ? "done" : index > now ? "waiting" : busy ? "busy" : "failed";
          return (
            <li key={stage} data-state={state} aria-current={state === "busy" ? "step" : undefined}>
              <span className="step-mark">
                {state === "waiting" ? index + 1 : <Icon name={stepIcons[state]} size={12} />}
              </span>
              {label}
            </li>
          );
        })}
      </ol>
      {children}
      {call.error && <p>{call.error.message}</p>}
    </div>
  );
}

const stepIcons = { done: "check", busy: "spinner", failed: "cross" } as const;

function DeletedCall({
  result,
  model,
  status,
  error,
}: ToolRenderProps<object, { deleted?: Alert }> & { model: Discover }) {
  const deleted = result?.deleted;
  useWhenDone(deleted !== undefined, (seen) => void model.loadAlerts(seen ? deleted : undefined));
  if (deleted) return <ToolPanel tone="good" message={`Deleted “${deleted.name}”`} />;
  if (status === "awaiting-approval") return null; // the question's card is enough
  if (status === "denied" || status === "cancelled") return <ToolPanel tone="neutral" message="Not deleted" />;
  if (error) return <ToolPanel tone="bad" message={error.message} />;
  return <ToolPanel tone="busy" message="Deleting…" />;
}

/**
 * Calls back once when a call is done, also if it was before it was first drawn, and says whether
 * it was seen running: a quick call is drawn when it is over, just as one of an earlier visit is.
 */
function useWhenDone(done: boolean, then?: (seen: boolean) => void): void {
  const running = useRef(false);
  useEffect(() => {
    if (done) then?.(running.current);
    else running.current = true;
    // What is called is new with every render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [done]);
}
