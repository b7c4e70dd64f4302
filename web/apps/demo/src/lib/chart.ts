import { clock, day, dayLabel } from "../state/time.ts";

/** Whole round numbers from 0 up to at least `max`, in about `count` steps. */
export function valueTicks(max: number, count: number): number[] {
  if (max <= 0) return [0];
  const raw = max / count;
  const magnitude = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * magnitude).find((size) => size >= raw) ?? raw);
  const steps = Math.max(1, Math.ceil(max / step));
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}

const minute = 60_000;
const hour = 60 * minute;
const timeSteps = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * 1000),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 6, 12].map((n) => n * hour),
  ...[1, 2, 7, 14, 30, 90, 365].map((n) => n * day),
];

export interface TimeTick {
  at: number;
  label: string;
}

/** Round times in UTC between two, at most `count` of them. Midnights are labelled with the day. */
export function timeTicks(from: number, to: number, count: number): TimeTick[] {
  const step = timeSteps.find((size) => (to - from) / size <= count) ?? timeSteps.at(-1)!;
  const ticks: TimeTick[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    const date = new Date(at);
    ticks.push({ at, label: at % day === 0 ? dayLabel(date) : clock(date, step < minute) });
  }
  return ticks;
}

/** "12.3k", "203". */
export function shortNumber(value: number): string {
  return value < 10_000
    ? value.toLocaleString("en")
    : `${(value / 1000).toLocaleString("en", { maximumFractionDigits: 1 })}k`;
}
