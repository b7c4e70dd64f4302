import type { ToolCallState } from "@pageside/core";
import { memo, useContext, type ReactNode } from "react";
import type { ToolRenderer } from "../../hooks/toolRenderers.js";
import { useToolRenderer } from "../../hooks/useToolRenderer.js";
import { QuestionCard } from "../approvals/later.js";
import { useCallQuestion } from "../approvals/questions.js";
import { toolTitle } from "../../ui/format.js";
import { isNothing, RenderBoundary } from "../../ui/RenderBoundary.js";
import { ReadOnlyContext } from "../transcript/readOnly.js";
import { ToolRow, type ToolRowProps } from "./ToolRow.js";

/**
 * A tool call as its action's `render` draws it; as a row where there is no `render`, or where it
 * draws nothing or throws. To read only, calls are rows: what a `render` needs is not there.
 */
export const ToolCall = memo(function ToolCall(props: ToolRowProps) {
  const { call, label = toolTitle(call.name) } = props;
  const renderer = useToolRenderer(call.name);
  const question = useCallQuestion(call);
  const readOnly = useContext(ReadOnlyContext);
  if (question) return <QuestionCard key={question.id} question={question} tool={label} />;
  const row = <ToolRow {...props} />;
  if (!renderer || readOnly) return row;
  return (
    <RenderBoundary attempt={`${call.status} ${call.args !== undefined}`} fallback={row}>
      <Drawn renderer={renderer} call={call} fallback={row} />
    </RenderBoundary>
  );
});

/** A component of its own, because a `render` may use hooks. */
function Drawn({ renderer, call, fallback }: { renderer: ToolRenderer; call: ToolCallState; fallback: ReactNode }) {
  const node = renderer(call);
  return isNothing(node) ? fallback : <div className="ps-tool-custom ps-host">{node}</div>;
}
