import type { Bucket, HistogramData, TimeSpan } from "../api/types.ts";
import { timeTicks, valueTicks, type TimeTick } from "../lib/chart.ts";
import { intervalMs, iso } from "../state/time.ts";

export const plot = { height: 132, top: 8, bottom: 22, left: 44, right: 12 };

export interface Bar {
  bucket: Bucket;
  /** Milliseconds; clipped to what is shown. */
  from: number;
  to: number;
  x: number;
  width: number;
  okY: number;
  okHeight: number;
  errorY: number;
  errorHeight: number;
}

export interface Geometry {
  from: number;
  to: number;
  bars: Bar[];
  valueTicks: { value: number; y: number }[];
  timeTicks: (TimeTick & { x: number })[];
  /** Time to pixel and back. */
  x(time: number): number;
  time(x: number): number;
}

/** The time that the buckets cover; null where there are none. */
export function histogramSpan(data: HistogramData | null): TimeSpan | null {
  const first = data?.buckets[0];
  const last = data?.buckets.at(-1);
  if (!data || !first || !last) return null;
  const end = Date.parse(last.from) + intervalMs(data.interval);
  return Number.isNaN(end) ? null : { from: first.from, to: iso(end) };
}

/** Lays the histogram out over the shown time. */
export function layOut(data: HistogramData | null, shown: TimeSpan, width: number): Geometry {
  const [from, to] = [Date.parse(shown.from), Date.parse(shown.to)];
  const inner = Math.max(1, width - plot.left - plot.right);
  const bottom = plot.height - plot.bottom;
  const x = (time: number) => plot.left + (inner * (time - from)) / (to - from);
  const time = (at: number) => from + ((to - from) * Math.min(Math.max(at - plot.left, 0), inner)) / inner;
  const ticks = valueTicks(Math.max(...(data?.buckets ?? []).map((bucket) => bucket.count), 0), 3);
  const top = ticks.at(-1)! || 1;
  const y = (value: number) => bottom - ((bottom - plot.top) * value) / top;
  const step = data ? intervalMs(data.interval) : Number.NaN;

  const bars = (data?.buckets ?? []).flatMap((bucket): Bar[] => {
    const start = Math.max(Date.parse(bucket.from), from);
    const end = Math.min(Date.parse(bucket.from) + step, to);
    if (!(start < end)) return [];
    const gap = x(end) - x(start) > 4 ? 1 : 0;
    const errors = Math.min(bucket.errors, bucket.count);
    return [
      {
        bucket,
        from: start,
        to: end,
        x: x(start) + gap / 2,
        width: Math.max(1, x(end) - x(start) - gap),
        errorY: y(errors),
        errorHeight: bottom - y(errors),
        okY: y(bucket.count),
        okHeight: y(errors) - y(bucket.count),
      },
    ];
  });
  return {
    from,
    to,
    bars,
    valueTicks: ticks.map((value) => ({ value, y: y(value) })),
    timeTicks: timeTicks(from, to, Math.max(2, inner / 80)).map((tick) => ({ ...tick, x: x(tick.at) })),
    x,
    time,
  };
}

/** The buckets a dragged part of the plot touches, as a range of time. */
export function snap(bars: Bar[], a: number, b: number): { from: number; to: number } | null {
  const [low, high] = [Math.min(a, b), Math.max(a, b)];
  const touched = bars.filter((bar) => bar.from <= high && bar.to > low);
  return touched.length > 0 ? { from: touched[0]!.from, to: touched.at(-1)!.to } : null;
}
