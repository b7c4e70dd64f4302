import { Component, type ReactNode } from "react";

interface BoundaryProps {
  /** Another value gives a `render` that threw another chance. */
  attempt: unknown;
  fallback: ReactNode;
  children: ReactNode;
}

/** A page's `render` that throws costs its own card only. */
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

/** Is it something React shows nothing for? */
export const isNothing = (node: ReactNode): boolean =>
  node === null || node === undefined || typeof node === "boolean" || node === "";
