import type { ToolCallState } from "@pageside/core";
import { Component, memo, type ReactNode } from "react";
import type { ToolRenderer } from "../hooks/tool-renderers.js";
import { useToolRenderer } from "../hooks/use-tool-renderer.js";
import { ToolRow, type ToolRowProps } from "./ToolRow.js";

/** A tool call as its action's `render` draws it, or as a row where none is registered, or it draws nothing, or throws. */
export const ToolCall = memo(function ToolCall(props: ToolRowProps) {
  const renderer = useToolRenderer(props.call.name);
  const row = <ToolRow {...props} />;
  if (!renderer) return row;
  return (
    <RenderBoundary call={props.call} fallback={row}>
      <Drawn renderer={renderer} call={props.call} fallback={row} />
    </RenderBoundary>
  );
});

/** A component of its own, because a `render` may use hooks. */
function Drawn({ renderer, call, fallback }: { renderer: ToolRenderer; call: ToolCallState; fallback: ReactNode }) {
  const node = renderer(call);
  const empty = node === null || node === undefined || typeof node === "boolean" || node === "";
  return empty ? fallback : <div className="ps-tool-custom">{node}</div>;
}

interface BoundaryProps {
  call: ToolCallState;
  fallback: ReactNode;
  children: ReactNode;
}

/** A `render` that throws costs its own card only. It gets another chance when the call's status changes. */
class RenderBoundary extends Component<BoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidUpdate(before: BoundaryProps) {
    if (this.state.failed && before.call.status !== this.props.call.status) this.setState({ failed: false });
  }

  override render() {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}
