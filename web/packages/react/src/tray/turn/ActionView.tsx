import type { ServerAction, ToolCallState } from "@pageside/core";
import { useContext, useState } from "react";
import { humanize } from "../../ui/format.js";
import { ActionButton } from "../suggestions/Suggestions.js";
import { ToolRow } from "../tools/ToolRow.js";
import { ReadOnlyContext } from "../transcript/readOnly.js";

/** A suggested action that the server carries out: a row like a tool's, and what it said. */
export function ActionView({ action, id }: { action: ServerAction; id: string }) {
  const readOnly = useContext(ReadOnlyContext);
  const [began] = useState(() => Date.now());
  const { label = humanize(action.action), status, text = "" } = action;
  return (
    <div className="ps-server-action" role="group" aria-label={label}>
      <ToolRow call={callOf(action, id, began)} label={label} />
      {status === "complete" && text && !isJson(text) && (
        <p className="ps-action-text" dir="auto">
          {text}
        </p>
      )}
      {status === "failed" && !readOnly && (
        <ActionButton action={{ label, action: action.action, handler: "server", args: action.args }} again />
      )}
    </div>
  );
}

/** Data for the model, which the row shows when it is opened. */
const isJson = (text: string) => /^\s*[[{]/.test(text);

/** The action as a row shows a call of a tool. */
function callOf({ action, args, status, text, progress }: ServerAction, id: string, began: number): ToolCallState {
  const isRunning = status === "executing";
  const report = progress && { stage: "", message: "", ...progress, fraction: progress.progress };
  return {
    id,
    name: action,
    frontend: false,
    status,
    args,
    argsText: args === undefined ? "" : JSON.stringify(args),
    startedAt: isRunning ? began : 0,
    ...(status === "complete" && { result: text }),
    ...(status === "failed" && { error: { message: text ?? "" } }),
    ...(isRunning && report && { progress: report }),
  };
}
