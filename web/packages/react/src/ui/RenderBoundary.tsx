import { Component, type ReactNode } from "react";

interface BoundaryProps {
  /** With another value, a `render` that threw is tried again. */
  attempt: unknown;
  fallback: ReactNode;
  children: ReactNode;
}

/** Limits the damage of a throwing `render` to its own card. */
export class RenderBoundary extends Component<BoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidUpdate(before: BoundaryProps) {
    if (this.state.failed && before.attempt !== this.props.attempt) this.setState({ failed: false });
  }

  override render() {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}

/** Reports whether React draws nothing for a node. */
export const isNothing = (node: ReactNode): boolean =>
  node === null || node === undefined || typeof node === "boolean" || node === "";
