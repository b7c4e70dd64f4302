import { useEffect, useRef, type KeyboardEvent, type PointerEvent } from "react";
import { useLabels } from "../../labels/useLabels.js";
import { DEFAULT_WIDTH, type TrayWidth } from "./edge.js";

const STEP = 16;

interface ResizeHandleProps extends TrayWidth {
  /** The edge of the window the tray stands at. */
  edge: "left" | "right";
  controls: string;
}

/** The border between page and tray. Drag it or use arrow keys; a double-click resets it. */
export function ResizeHandle({ width, min, max, resize, settle, edge, controls }: ResizeHandleProps) {
  const labels = useLabels();
  const dirty = useRef(false);

  useEffect(() => {
    if (!dirty.current) return;
    dirty.current = false;
    settle();
  }, [settle]);

  const set = (next: number) => {
    dirty.current = true;
    resize(next);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const outwards = edge === "right" ? "ArrowLeft" : "ArrowRight";
    const inwards = edge === "right" ? "ArrowRight" : "ArrowLeft";
    const next = { [outwards]: width + STEP, [inwards]: width - STEP, Home: min, End: max, Enter: DEFAULT_WIDTH }[
      event.key
    ];
    if (next === undefined) return;
    event.preventDefault();
    set(next);
  };

  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture?.(event.pointerId);
  };

  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture?.(event.pointerId)) return;
    set(edge === "right" ? document.documentElement.clientWidth - event.clientX : event.clientX);
  };

  return (
    <div
      className="ps-resize"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={labels.resizeTray}
      aria-controls={controls}
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={max}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onDoubleClick={() => set(DEFAULT_WIDTH)}
    />
  );
}
