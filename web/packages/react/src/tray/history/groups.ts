import type { ThreadSummary } from "@pageside/core";

/** Threads whose title is what was searched for come first; the others keep their order. */
export function exactFirst(threads: readonly ThreadSummary[], query: string): readonly ThreadSummary[] {
  const wanted = query.trim().toLowerCase();
  const isExact = ({ title }: ThreadSummary) => wanted !== "" && title.trim().toLowerCase() === wanted;
  return threads.some(isExact) ? threads.toSorted((a, b) => Number(isExact(b)) - Number(isExact(a))) : threads;
}

type Age = "today" | "yesterday" | "previousWeek" | "earlier";
type Group = "pinned" | Age;

/**
 * The pinned threads, then the others, newest first, by the days of the user's calendar. Groups
 * without threads are left out.
 */
export function inGroups(
  threads: readonly ThreadSummary[],
  now: Date = new Date(),
): { group: Group; threads: ThreadSummary[] }[] {
  const groups: { group: Group; threads: ThreadSummary[] }[] = [];
  for (const thread of pinnedFirst(threads)) {
    const group = thread.pinned ? "pinned" : ageOf(new Date(thread.updatedAt), now);
    const known = groups.find((each) => each.group === group);
    if (known) known.threads.push(thread);
    else groups.push({ group, threads: [thread] });
  }
  return groups;
}

const pinnedFirst = (threads: readonly ThreadSummary[]) =>
  threads.toSorted((a, b) => Number(!!b.pinned) - Number(!!a.pinned));

/** Threads with one of them pinned or not, in the order of the server. */
export function withPin(threads: readonly ThreadSummary[], id: string, pinned: boolean): ThreadSummary[] {
  const changed = threads.map((thread) => (thread.id === id ? { ...thread, pinned } : thread));
  return pinnedFirst(changed.sort((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt)));
}

function ageOf(date: Date, now: Date): Age {
  const daysBefore = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);
  if (date >= daysBefore(0)) return "today";
  if (date >= daysBefore(1)) return "yesterday";
  return date >= daysBefore(7) ? "previousWeek" : "earlier";
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

/** Date and time, for who wants to know exactly. */
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
