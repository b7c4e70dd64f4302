import { membersOf } from "@pageside/core/messages";
import type { Message } from "@pageside/core";
import { SOURCES_TYPE } from "../../hooks/payloads.js";
import { safeUrl } from "../../markdown/url.js";

/** Something that an answer rests on. */
export interface Source {
  /** The text cites it as `[number]`. */
  number: number;
  title: string;
  /** Safe to follow: on the web, on the page or in the application. */
  url?: string;
  /** The host of an address on the web. */
  host?: string;
  snippet?: string;
}

const NONE: readonly Source[] = [];
const read = new WeakMap<Message, readonly Source[]>();

/** The sources that a message names. The same message gives the same objects. */
export function sourcesOf(message: Message): readonly Source[] {
  if (message.role !== "activity" || message.activityType !== SOURCES_TYPE) return NONE;
  let sources = read.get(message);
  if (!sources) {
    const { sources: told } = membersOf(message.content);
    read.set(message, (sources = Array.isArray(told) ? told.flatMap(clean) : NONE));
  }
  return sources;
}

/** Checked again here: agents that run without a Pageside server write them too. */
function clean(told: unknown): Source[] {
  const { number, title, url, snippet } = membersOf(told);
  if (typeof number !== "number" || !Number.isInteger(number) || typeof title !== "string" || !title) return [];
  const source: Source = { number, title };
  if (typeof snippet === "string" && snippet) source.snippet = snippet;
  const address = typeof url === "string" ? url : "";
  const safe = safeUrl(address);
  const isTaken = safe?.external ? /^https?:/i.test(address) : /^(?:#.|\/)/.test(safe?.href ?? "");
  return [safe && isTaken ? { ...source, url: safe.href, host: safe.host } : source];
}

const MARK = /\[(\d{1,4}(?:, ?\d{1,4})*)\]/g;

/** The numbers that a text cites, in order. */
export const citedIn = (text: string): number[] =>
  [...text.matchAll(MARK)].flatMap(([, numbers]) => numbers!.split(",").map(Number));

/** What an answer rests on, by number: its own sources, and those of earlier answers it cites. */
export function sourcesFor(
  own: readonly Source[],
  known: ReadonlyMap<number, Source>,
  cited: readonly number[],
): Source[] {
  const all = new Map(own.map((source) => [source.number, source]));
  for (const number of cited) {
    const source = known.get(number);
    if (source && !all.has(number)) all.set(number, source);
  }
  return [...all.values()].sort((a, b) => a.number - b.number);
}

/** Cuts a text at its marks: numbers are marks. `[7]` stays text where 7 is no source. */
export function cutAtMarks(text: string, sources: readonly Source[]): (string | Source)[] {
  const parts: (string | Source)[] = [];
  let end = 0;
  for (const match of text.matchAll(MARK)) {
    const cited = match[1]!.split(",").map((number) => sources.find((source) => source.number === Number(number)));
    if (cited.includes(undefined)) continue;
    parts.push(text.slice(end, match.index), ...(cited as Source[]));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}
