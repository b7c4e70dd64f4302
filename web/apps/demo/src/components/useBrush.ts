import { useState, type KeyboardEvent, type PointerEvent } from "react";
import { snap, type Bar, type Geometry } from "./histogram-geometry.ts";

interface Brush {
  anchor: number;
  head: number;
  dragging: boolean;
}

interface Span {
  from: number;
  to: number;
}

interface Steps {
  [key: string]: number | undefined;
}

/** Which bar is looked at and which part of the histogram is selected, by pointer or by keys. */
export function useBrush({ bars, time }: Geometry, onSelect: (span: Span) => void) {
  const [cursor, setCursor] = useState<number | null>(null);
  const [brush, setBrush] = useState<Brush | null>(null);
  const active = cursor === null ? undefined : bars[Math.min(cursor, bars.length - 1)];
  const selection = brush && snap(bars, brush.anchor, brush.head);

  const finish = () => {
    setBrush(null);
    if (selection) onSelect(selection);
  };
  const step = (by: number, extend: boolean) => {
    const next = Math.min(Math.max((cursor ?? (by > 0 ? -1 : bars.length)) + by, 0), bars.length - 1);
    const anchor = brush?.anchor ?? bars[cursor ?? next]!.from;
    setCursor(next);
    setBrush(extend ? { anchor, head: bars[next]!.from, dragging: false } : null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Steps = { ArrowRight: 1, ArrowLeft: -1, Home: -bars.length, End: bars.length };
    const by = steps[event.key];
    if (by !== undefined && bars.length > 0) {
      event.preventDefault();
      step(by, event.shiftKey);
    } else if (event.key === "Enter" && active) {
      event.preventDefault();
      if (brush) finish();
      else onSelect(active);
    } else if (event.key === "Escape" && brush) {
      event.stopPropagation();
      setBrush(null);
    }
  };
  const onBlur = () => {
    setCursor(null);
    setBrush(null);
  };
  const pointer = pointerHandlers({ bars, time, brush, setBrush, setCursor, finish });
  return { active, selection, dragging: brush?.dragging ?? false, handlers: { onKeyDown, onBlur, ...pointer } };
}

interface PointerOptions {
  bars: Bar[];
  time(x: number): number;
  brush: Brush | null;
  setBrush(brush: Brush | null): void;
  setCursor(index: number | null): void;
  finish(): void;
}

function pointerHandlers({ bars, time, brush, setBrush, setCursor, finish }: PointerOptions) {
  const at = (event: PointerEvent) => time(event.clientX - event.currentTarget.getBoundingClientRect().left);
  return {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setBrush({ anchor: at(event), head: at(event), dragging: true });
    },
    onPointerMove(event: PointerEvent) {
      const here = at(event);
      const index = bars.findIndex((bar) => bar.from <= here && here < bar.to);
      setCursor(index < 0 ? null : index);
      if (brush?.dragging) setBrush({ ...brush, head: here });
    },
    onPointerUp: () => brush?.dragging && finish(),
    onPointerCancel: () => setBrush(null),
    onPointerLeave: () => !brush && setCursor(null),
  };
}
