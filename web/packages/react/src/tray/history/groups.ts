import type { ThreadSummary } from "@pageside/core";

/** Of pinned threads and of the others, those come first whose title is what was searched for. */
export function exactFirst(threads: readonly ThreadSummary[], query: string): readonly ThreadSummary[] {
  const wanted = query.trim().toLowerCase();
  const isExact = ({ title }: ThreadSummary) => wanted !== "" && title.trim().toLowerCase() === wanted;
  if (!threads.some(isExact)) return threads;
  return pinnedFirst(threads.toSorted((a, b) => Number(isExact(b)) - Number(isExact(a))));
}

/** Pinned threads come first; otherwise they keep their order. */
export const pinnedFirst = (threads: readonly ThreadSummary[]) =>
  threads.toSorted((a, b) => Number(!!b.pinned) - Number(!!a.pinned));

/** Shows a thread as pinned or not: first, or among the others by its age. */
export function withPin(threads: readonly ThreadSummary[], id: string, pinned: boolean): readonly ThreadSummary[] {
  const changed = threads.map((thread) => (thread.id === id ? { ...thread, pinned } : thread));
  return pinnedFirst(changed.toSorted((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt)));
}

type Group = "pinned" | "today" | "yesterday" | "previousWeek" | "older";

/**
 * Pinned threads, then the others, newest first, by the days of the user's calendar. Groups
 * without threads are left out.
 */
export function groupByAge(
  threads: readonly ThreadSummary[],
  now: Date = new Date(),
): { age: Group; threads: ThreadSummary[] }[] {
  const groups: { age: Group; threads: ThreadSummary[] }[] = [];
  for (const thread of threads) {
    const age = thread.pinned ? "pinned" : ageOf(new Date(thread.updatedAt), now);
    const group = groups.find((each) => each.age === age);
    if (group) group.threads.push(thread);
    else groups.push({ age, threads: [thread] });
  }
  return groups;
}

function ageOf(date: Date, now: Date): Group {
  const daysBefore = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);
  if (date >= daysBefore(0)) return "today";
  if (date >= daysBefore(1)) return "yesterday";
  return date >= daysBefore(7) ? "previousWeek" : "older";
}

/** The time of today, the day of this year, else the date. */
export function shortDate(iso: string, now: Date = new Date()): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  if (date.toDateString() === now.toDateString())
    return date.toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" });
  const year = date.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return date.toLocaleDateString(undefined, { day: "numeric", month: "short", year });
}

/** The exact date and time. */
export function longDate(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? "" : date.toLocaleString(undefined, { dateStyle: "long", timeStyle: "short" });
}

const MARKS: readonly (readonly [RegExp, string])[] = [
  [/!?\[([^\]]*)\]\([^)]*\)?/g, "$1"],
  [/(?<![\p{L}\p{N}])(?:\*{1,3}|_{1,3}|~~)(?=\S)|(?<=\S)(?:\*{1,3}|_{1,3}|~~)(?![\p{L}\p{N}])/gu, ""],
  [/`+/g, ""],
  [/(^|\s)(?:#{1,6}|>|[-*+]|\|(?:[\s:|-]*\|)?)(?=\s|$)/g, "$1"],
  [/\s+/g, " "],
];

/** A piece of Markdown, cut anywhere, without its marks. */
export const withoutMarks = (text: string) => MARKS.reduce((plain, [mark, by]) => plain.replace(mark, by), text).trim();
