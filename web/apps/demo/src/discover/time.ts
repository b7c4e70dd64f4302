import type { LogTime, TimeSpan } from "./types.ts";
import type { TimeRange } from "./view.ts";

/* The log's times are UTC, and that is how the page shows them. */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * The presets of the time picker. The log is old, so "last hour" counts back from its end, not from
 * now.
 */
export function timePresets(log: LogTime): { label: string; range: TimeRange | null }[] {
  const end = Date.parse(log.max);
  const last = (label: string, length: number) => ({
    label,
    range: { from: iso(end - length), to: iso(end), label },
  });
  return [
    { label: "Whole log", range: null },
    last("Last 24 hours of the log", day),
    last("Last 6 hours of the log", 6 * hour),
    last("Last hour of the log", hour),
  ];
}

/** A range in words: its label, or its ends. */
export function rangeLabel(range: TimeRange | null): string {
  return range === null ? "Whole log" : (range.label ?? spanLabel(range));
}

/**
 * "17 May 10:00 – 18 May 12:30": the second day only where it differs, seconds only where there are
 * some. An end just before a full second is shown as that second.
 */
export function spanLabel({ from, to }: TimeSpan): string {
  const [a, b] = [Date.parse(from), Math.ceil(Date.parse(to) / second) * second];
  const seconds = a % minute >= second || b % minute !== 0;
  const sameDay = Math.floor(a / day) === Math.floor(b / day);
  return `${dayLabel(a)} ${clock(a, seconds)} – ${sameDay ? "" : `${dayLabel(b)} `}${clock(b, seconds)}`;
}

const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** "17 May". */
const dayLabel = (time: number) => dayFormat.format(time);

/** "10:05" or "10:05:03". */
const clock = (time: number, seconds = false) => new Date(time).toISOString().slice(11, seconds ? 19 : 16);

/** "2015-05-17 10:05:03" in two parts, for a log line. */
export function stamp(time: string): { date: string; time: string } {
  const parsed = Date.parse(time);
  if (Number.isNaN(parsed)) return { date: "", time };
  const text = iso(parsed);
  return { date: text.slice(0, 10), time: text.slice(11, 19) };
}

/** ISO 8601 in UTC, without milliseconds where there are none. */
export function iso(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

/**
 * Reads a time that a person or a model wrote: ISO 8601 or "2015-05-17 10:00". Without a zone it is
 * UTC. A date alone is its first moment or, as an end, its last. NaN if it is not a time.
 */
export function parseTime(text: string, end = false): number {
  const trimmed = text.trim();
  if (/^\d{4}-\d{2}-\d{2}$/.test(trimmed)) return Date.parse(`${trimmed}T00:00:00Z`) + (end ? day - 1 : 0);
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(trimmed);
  if (!/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(trimmed)) return Number.NaN;
  return Date.parse(trimmed.replace(" ", "T") + (zoned ? "" : "Z"));
}

const units = {
  s: { ms: second, name: "second" },
  m: { ms: minute, name: "minute" },
  h: { ms: hour, name: "hour" },
  d: { ms: day, name: "day" },
  w: { ms: 7 * day, name: "week" },
};

function readInterval(interval: string) {
  const [, size, unit] = /^(\d+)\s*([smhdw])$/.exec(interval) ?? [];
  return { size: Number(size), unit: units[unit as keyof typeof units] };
}

/** Milliseconds of a histogram's interval such as "30s", "5m", "1h" or "1d". */
export function intervalMs(interval: string): number {
  const { size, unit } = readInterval(interval);
  return unit ? size * unit.ms : Number.NaN;
}

/** "1 hour", "5 minutes". */
export function intervalLabel(interval: string): string {
  const { size, unit } = readInterval(interval);
  return unit ? `${size} ${unit.name}${size === 1 ? "" : "s"}` : interval;
}

/** The possible distances between labels of a time axis. */
const steps = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * second),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 6, 12].map((n) => n * hour),
  ...[1, 2, 7, 14, 30, 90, 365].map((n) => n * day),
];

/** Round times in UTC between two, at most `most` of them. Midnights are labelled with the day. */
export function timeTicks(from: number, to: number, most: number): { at: number; label: string }[] {
  const step = steps.find((size) => (to - from) / size <= most) ?? steps.at(-1)!;
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.max(0, Math.floor((to - first) / step) + 1) }, (_, index) => {
    const at = first + index * step;
    return { at, label: at % day === 0 ? dayLabel(at) : clock(at, step < minute) };
  });
}
