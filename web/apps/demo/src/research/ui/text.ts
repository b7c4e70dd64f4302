import type { FieldType } from "../types.ts";

/** "1,362". */
export const num = (value: number) => value.toLocaleString("en");

/** "1 article", "1,362 articles". */
export const count = (value: number, one: string, many = `${one}s`) => `${num(value)} ${value === 1 ? one : many}`;

export const fieldTypes: Record<FieldType, string> = {
  text: "Text",
  number: "Number",
  yes_no: "Yes or no",
  category: "Category",
};

/** "Loges S, Heuser M and 10 more". */
export function authorLine(authors: readonly string[]): string {
  const shown = authors.slice(0, authors.length === 3 ? 3 : 2).join(", ");
  const more = authors.length - (authors.length === 3 ? 3 : 2);
  return more > 0 ? `${shown} and ${num(more)} more` : shown;
}

/** "2 Jan 2026" of a time, in UTC. */
export function day(time: string | undefined): string {
  const date = new Date(time ?? "");
  if (Number.isNaN(date.getTime())) return time ?? "";
  return date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
}

/** What an error says to the user. */
export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/**
 * A title without the few tags that PubMed's titles have for italics and for small letters above
 * and below.
 */
export const plainTitle = (title: string) => title.replace(/<\/?(?:i|b|em|strong|sub|sup|u|scp)>/gi, "");
