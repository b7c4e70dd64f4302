import type { LogTime, TimeSpan } from "../api/types.ts";
import type { TimeRange } from "./view.ts";

/* The log's times are UTC, and that is how the page shows them. */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
export const day = 24 * hour;

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export interface TimePreset {
  label: string;
  range: TimeRange | null;
}

/**
 * What the time picker offers. The log is old, so "last hour" counts back from its end and not from
 * now.
 */
export function timePresets(log: LogTime): TimePreset[] {
  const end = Date.parse(log.max);
  const last = (label: string, length: number): TimePreset => ({
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
  if (range === null) return "Whole log";
  return range.label ?? spanLabel(range);
}

/**
 * "17 May 10:00 – 18 May 12:30": the second day only where it differs, seconds only where there are
 * some. An end just before a full second is shown as that second.
 */
export function spanLabel({ from, to }: TimeSpan): string {
  const [a, b] = [new Date(from), new Date(Math.ceil(Date.parse(to) / second) * second)];
  const seconds = a.getUTCSeconds() !== 0 || b.getUTCSeconds() !== 0;
  const sameDay = Math.floor(a.getTime() / day) === Math.floor(b.getTime() / day);
  return `${dayLabel(a)} ${clock(a, seconds)} – ${sameDay ? "" : `${dayLabel(b)} `}${clock(b, seconds)}`;
}

/** "17 May". */
export function dayLabel(date: Date): string {
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]}`;
}

/** "10:05" or "10:05:03". */
export function clock(date: Date, seconds = false): string {
  return date.toISOString().slice(11, seconds ? 19 : 16);
}

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
 * UTC. A day alone is its first moment, as an end its last. NaN where it is no time.
 */
export function parseTime(text: string, end = false): number {
  const trimmed = text.trim();
  if (/^\d{4}-\d{2}-\d{2}$/.test(trimmed)) return Date.parse(`${trimmed}T00:00:00Z`) + (end ? day - 1 : 0);
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(trimmed);
  if (!/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(trimmed)) return Number.NaN;
  return Date.parse(trimmed.replace(" ", "T") + (zoned ? "" : "Z"));
}

const units: Record<string, number> = { s: second, m: minute, h: hour, d: day, w: 7 * day };

/** Milliseconds of a histogram's interval such as "30s", "5m", "1h" or "1d". */
export function intervalMs(interval: string): number {
  const [, size, unit] = /^(\d+)\s*([smhdw])$/.exec(interval) ?? [];
  return size && unit ? Number(size) * units[unit]! : Number.NaN;
}

const unitNames: Record<string, string> = { s: "second", m: "minute", h: "hour", d: "day", w: "week" };

/** "1 hour", "5 minutes". */
export function intervalLabel(interval: string): string {
  const [, size, unit] = /^(\d+)\s*([smhdw])$/.exec(interval) ?? [];
  return size && unit ? `${size} ${unitNames[unit]}${size === "1" ? "" : "s"}` : interval;
}
