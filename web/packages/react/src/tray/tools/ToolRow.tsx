import { membersOf } from "@pageside/core/messages";
import type { ToolCallState, ToolStatus } from "@pageside/core";
import { memo, useContext, useId, useState, type ComponentType } from "react";
import { useLabels } from "../../labels/useLabels.js";
import { useElapsed } from "../../ui/clocks.js";
import { formatElapsed, pretty, prettyArgs, summarize, toolTitle } from "../../ui/format.js";
import { AlertIcon, BlockedIcon, CheckIcon, ClockIcon, SpinnerIcon } from "../../ui/icons.js";
import { ToolProgress } from "./ToolProgress.js";
import { ReadOnlyContext } from "../transcript/readOnly.js";
import { Disclosure } from "../transcript/Disclosure.js";
import { isLive } from "../turn/turns.js";

const ICONS: Readonly<Record<ToolStatus, ComponentType>> = {
  pending: SpinnerIcon,
  executing: SpinnerIcon,
  complete: CheckIcon,
  failed: AlertIcon,
  "awaiting-approval": ClockIcon,
  denied: BlockedIcon,
  cancelled: BlockedIcon,
};

/** The props of `<ToolRow>` and `<ToolCall>`. */
export interface ToolRowProps {
  /** The call. */
  call: ToolCallState;
  /** What the tool is called on screen; default made from its name. */
  label?: string;
}

/**
 * One tool call in a line that opens its arguments and result. A failed one, and one that the
 * server's permissions refuse, is open at first: it says why. To read only, a row does not open,
 * unless it is a question to the user: what went in and came out is for the owner of the thread.
 */
export const ToolRow = memo(function ToolRow({ call, label: given }: ToolRowProps) {
  const labels = useLabels();
  const isQuestion = call.name === ASK_USER;
  const label = given ?? (isQuestion ? labels.question : toolTitle(call.name));
  const [chosen, setChosen] = useState<boolean>();
  const panel = useId();
  const opens = !useContext(ReadOnlyContext) || isQuestion;
  const open = opens && (chosen ?? (call.status === "failed" || call.error?.code === "not_permitted"));
  const Icon = ICONS[call.status];
  const summary = isQuestion ? questionOf(call.args) : summarize(call.args);

  const line = (
    <>
      <span className="ps-tool-label">{label}</span>
      <span className="ps-sr-only">, {labels.toolStatus(call.status)}</span>
      {summary && (
        <span className="ps-tool-summary ps-cut" dir="auto">
          {summary}
        </span>
      )}
    </>
  );
  if (!opens)
    return (
      <div className="ps-tool" data-status={call.status}>
        <div className="ps-tool-row">
          <span className="ps-tool-icon">
            <Icon />
          </span>
          {line}
        </div>
      </div>
    );
  return (
    <div className="ps-tool" data-status={call.status}>
      <Disclosure icon={<Icon />} open={open} onToggle={setChosen} controls={panel}>
        {line}
        <Elapsed call={call} />
      </Disclosure>
      {isLive(call) && call.progress && <ToolProgress call={call} tool={label} />}
      {open && <ToolDetails call={call} id={panel} />}
    </div>
  );
});

/** The tool by which the model asks the user. */
const ASK_USER = "ask_user";

function questionOf(args: unknown): string {
  const { question } = membersOf(args);
  return typeof question === "string" ? question : "";
}

function Elapsed({ call }: { call: ToolCallState }) {
  const labels = useLabels();
  const text = formatElapsed(useElapsed(call.startedAt, call.endedAt, isLive(call)), labels);
  return text ? <span className="ps-tool-elapsed ps-text-xs">{text}</span> : null;
}

function ToolDetails({ call, id }: { call: ToolCallState; id: string }) {
  const labels = useLabels();
  return (
    <dl className="ps-tool-details ps-text-sm" id={id}>
      {call.error && (
        <>
          <dt>{labels.toolError}</dt>
          <dd className="ps-tool-error ps-text-md">{call.error.message}</dd>
        </>
      )}
      <dt>{labels.toolArguments}</dt>
      <dd>
        <Value text={prettyArgs(call) || labels.empty} label={labels.toolArguments} />
      </dd>
      {call.result !== undefined && !call.error && (
        <>
          <dt>{labels.toolResult}</dt>
          <dd>
            <Value text={pretty(call.result)} label={labels.toolResult} />
          </dd>
        </>
      )}
    </dl>
  );
}

function Value({ text, label }: { text: string; label: string }) {
  return (
    <pre className="ps-json" tabIndex={0} aria-label={label} dir="auto">
      {text}
    </pre>
  );
}
