import type { ToolCallState } from "@pageside/core";
import { useMessageLabels } from "../../labels/messages.js";
import { useElapsed } from "../../ui/clocks.js";
import { formatElapsed, humanize } from "../../ui/format.js";

/** Before that, the time left cannot be told. */
const SURE_MS = 2000;
const SURE_FRACTION = 0.05;

/** How far a call is: a bar, the stage, and the time left where it can be told. */
export function ToolProgress({ call, tool }: { call: ToolCallState; tool: string }) {
  const labels = useMessageLabels();
  const elapsed = useElapsed(call.startedAt, undefined, true);
  const { fraction, message = "", stage = "" } = call.progress ?? {};
  const done = fraction === undefined ? undefined : Math.min(Math.max(fraction, 0), 1);
  const percent = done === undefined ? undefined : Math.round(done * 100);
  const isSure = done !== undefined && done >= SURE_FRACTION && done < 1 && elapsed >= SURE_MS;
  const left = isSure ? formatElapsed(Math.ceil((elapsed * (1 - done)) / done / 1000) * 1000, labels) : "";
  return (
    <div className="ps-progress">
      <div
        className="ps-bar"
        role="progressbar"
        aria-label={labels.toolProgress(tool)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        data-unknown={percent === undefined || undefined}
      >
        <span style={{ inlineSize: percent === undefined ? undefined : `${percent}%` }} />
      </div>
      <p className="ps-progress-text ps-text-sm ps-muted">
        <span dir="auto">{message || humanize(stage)}</span>
        {left && <span className="ps-progress-left">{labels.secondsLeft(left.replace(/[.,]0/, ""))}</span>}
      </p>
    </div>
  );
}
