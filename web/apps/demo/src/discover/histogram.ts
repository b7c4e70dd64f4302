import { useState, type KeyboardEvent, type PointerEvent } from "react";
import { intervalMs, iso } from "./time.ts";
import type { HistogramData, TimeSpan } from "./types.ts";

/** The time that the buckets cover; null without buckets. */
export function histogramSpan({ buckets, interval }: HistogramData): TimeSpan | null {
  const [first, last] = [buckets[0], buckets.at(-1)];
  return first && last ? { from: first.from, to: iso(Date.parse(last.from) + intervalMs(interval)) } : null;
}

/** Whole round numbers from 0 up to at least `max`, in about `count` steps. */
export function valueTicks(max: number, count: number): number[] {
  if (max <= 0) return [0];
  const raw = max / count;
  const magnitude = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * magnitude).find((size) => size >= raw) ?? raw);
  return Array.from({ length: Math.max(1, Math.ceil(max / step)) + 1 }, (_, index) => index * step);
}

/**
 * Which of `length` bars is active and which are selected, by pointer or keys. Calls back with the
 * first and the last selected bar.
 */
export function useBrush(length: number, onSelect: (first: number, last: number) => void) {
  const [cursor, setCursor] = useState<number | null>(null);
  const [brush, setBrush] = useState<{ anchor: number; head: number; dragging: boolean } | null>(null);
  const inside = (index: number) => Math.min(Math.max(index, 0), length - 1);
  const active = cursor === null || length === 0 ? undefined : inside(cursor);
  const selection = brush && [Math.min(brush.anchor, brush.head), Math.max(brush.anchor, brush.head)];

  const finish = () => {
    setBrush(null);
    if (selection) onSelect(selection[0]!, selection[1]!);
    else if (active !== undefined) onSelect(active, active);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, Home: -length, End: length };
    const by = steps[event.key];
    if (by !== undefined && length > 0) {
      const next = inside((active ?? (by > 0 ? -1 : length)) + by);
      setCursor(next);
      setBrush(event.shiftKey ? { anchor: brush?.anchor ?? active ?? next, head: next, dragging: false } : null);
    } else if (event.key === "Enter") finish();
    else if (event.key === "Escape" && brush) setBrush(null);
    else return;
    event.preventDefault();
  };
  const at = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return inside(Math.floor((length * (clientX - left)) / width));
  };
  const handlers = {
    onKeyDown,
    onBlur() {
      setCursor(null);
      setBrush(null);
    },
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0 || length === 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setBrush({ anchor: at(event), head: at(event), dragging: true });
    },
    onPointerMove(event: PointerEvent) {
      setCursor(at(event));
      if (brush?.dragging) setBrush({ ...brush, head: at(event) });
    },
    onPointerUp: () => brush?.dragging && finish(),
    onPointerCancel: () => setBrush(null),
    onPointerLeave: () => !brush && setCursor(null),
  };
  return { active, selection, handlers };
}
