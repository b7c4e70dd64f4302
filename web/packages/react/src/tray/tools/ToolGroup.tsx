import type { ToolCallState } from "@pageside/core";
import { useState } from "react";
import { useMessageLabels } from "../../labels/messages.js";
import { toolTitle } from "../../ui/format.js";
import { AlertIcon, CheckIcon } from "../../ui/icons.js";
import { Disclosure } from "../transcript/Disclosure.js";
import { ToolCall } from "./ToolCall.js";

interface ToolGroupProps {
  calls: readonly ToolCallState[];
  toolLabels?: Readonly<Record<string, string>>;
}

/** Calls that are over, in one line. */
export function ToolGroup({ calls, toolLabels }: ToolGroupProps) {
  const labels = useMessageLabels();
  const [open, setOpen] = useState(false);
  const failed = calls.filter(({ status }) => status === "failed").length;
  const names = [...new Set(calls.map(({ name }) => toolLabels?.[name] ?? toolTitle(name)))];
  return (
    <div className="ps-tool-group">
      <div className="ps-tool" data-status={failed > 0 ? "failed" : "complete"}>
        <Disclosure icon={failed > 0 ? <AlertIcon /> : <CheckIcon />} open={open} onToggle={setOpen}>
          <span className="ps-tool-label">{labels.callsDone(calls.length)}</span>
          {failed > 0 && <span className="ps-tool-failures">{labels.callsFailed(failed)}</span>}
          <span className="ps-grow ps-cut" dir="auto">
            {names.join(", ")}
          </span>
        </Disclosure>
      </div>
      {open && (
        <div className="ps-answer-body ps-stack ps-grow">
          {calls.map((call) => (
            <ToolCall key={call.id} call={call} label={toolLabels?.[call.name]} />
          ))}
        </div>
      )}
    </div>
  );
}
