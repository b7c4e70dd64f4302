import type { ToolCallState } from "@pageside/core";
import { memo, useContext, type ReactNode } from "react";
import type { ToolRenderer } from "../../hooks/toolRenderers.js";
import { useToolRenderer } from "../../hooks/useToolRenderer.js";
import { Confirmation } from "../approvals/Confirmation.js";
import { isNothing, RenderBoundary } from "../../ui/RenderBoundary.js";
import { ReadOnlyContext } from "../transcript/readOnly.js";
import { ToolRow, type ToolRowProps } from "./ToolRow.js";

/**
 * A tool call as its action's `render` draws it; as a row where there is no `render`, or where it
 * draws nothing or throws. To read only, calls are rows: what a `render` needs is not there.
 */
export const ToolCall = memo(function ToolCall(props: ToolRowProps) {
  const { name, confirmation } = props.call;
  const renderer = useToolRenderer(name);
  const readOnly = useContext(ReadOnlyContext);
  const row = confirmation ? <Confirmation {...props} /> : <ToolRow {...props} />;
  if (!renderer || confirmation || readOnly) return row;
  return (
    <RenderBoundary attempt={`${props.call.status} ${props.call.args !== undefined}`} fallback={row}>
      <Drawn renderer={renderer} call={props.call} fallback={row} />
    </RenderBoundary>
  );
});

/** A component of its own, because a `render` may use hooks. */
function Drawn({ renderer, call, fallback }: { renderer: ToolRenderer; call: ToolCallState; fallback: ReactNode }) {
  const node = renderer(call);
  return isNothing(node) ? fallback : <div className="ps-tool-custom ps-host">{node}</div>;
}
