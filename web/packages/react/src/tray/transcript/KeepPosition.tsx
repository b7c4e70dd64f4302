import { Component, type ReactNode, type RefObject } from "react";
import type { View } from "./window.js";

interface KeepPositionProps {
  /** The first turn. */
  first: string | undefined;
  view: View;
  /** An element beside the turns. */
  mark: RefObject<HTMLElement | null>;
  children?: ReactNode;
}

/**
 * Keeps what the reader sees in place when turns come above it or are drawn there: browsers do so
 * only where the view is not at the top, and not all do.
 */
export class KeepPosition extends Component<KeepPositionProps> {
  override getSnapshotBeforeUpdate({ first, view }: KeepPositionProps) {
    if (first === this.props.first && view === this.props.view) return null;
    const turn = firstInView(this.props.mark.current?.parentElement);
    return turn ? { turn, top: turn.getBoundingClientRect().top } : null;
  }

  override componentDidUpdate(_: KeepPositionProps, __: unknown, was: { turn: Element; top: number } | null) {
    const scroller = was?.turn.closest(".ps-scroller");
    if (was?.turn.isConnected && scroller) scroller.scrollTop += was.turn.getBoundingClientRect().top - was.top;
  }

  override render() {
    return this.props.children;
  }
}

function firstInView(content: HTMLElement | null | undefined): Element | undefined {
  const from = content?.closest(".ps-scroller")?.getBoundingClientRect().top ?? 0;
  const turns = content?.querySelectorAll(":scope > [data-turn]:not([data-gap])") ?? [];
  return [...turns].find((turn) => turn.getBoundingClientRect().bottom > from);
}
