import type { ToolCallState } from "@pageside/core";
import type { TrayLabels } from "../labels/types.js";

const ACRONYMS = new Set(["api", "csv", "html", "http", "id", "ip", "json", "pdf", "ppl", "sql", "ui", "url", "xml"]);

/** `execute_ppl_query` and `executePplQuery` → "Execute PPL query". */
export function humanize(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[\s_.:/-]+/)
    .filter(Boolean)
    .map((word) => (ACRONYMS.has(word.toLowerCase()) ? word.toUpperCase() : word.toLowerCase()));
  const text = words.join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The name of an MCP server before that of its tool: `everything__get-sum`. */
const SERVER = /^([a-zA-Z0-9-]+(?:_[a-zA-Z0-9-]+)*)__(?=[^_])/;

/**
 * A tool's name on screen: "Get sum" for `everything__get-sum` of the MCP server `everything`. What
 * a server calls its tool otherwise could change unseen; its name is pinned.
 */
export const toolTitle = (name: string): string => humanize(name.replace(SERVER, ""));

/** The same where something is decided: "Get sum (everything)". */
export function fullToolTitle(name: string): string {
  const [, server] = SERVER.exec(name) ?? [];
  return server ? `${toolTitle(name)} (${server})` : toolTitle(name);
}

/**
 * What a call is about, in words and in one line: the times it spans, and its first argument that
 * is text. Numbers, ids and addresses of programs say nothing to a reader; the row's details have
 * them.
 */
export function summarize(args: unknown): string {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return "";
  const { from, to, ...others }: { from?: unknown; to?: unknown } = args;
  const span = isTime(from) && isTime(to) ? spanOf(from, to) : "";
  const words = Object.values(span ? others : args).find(isWords);
  return [span, words && inLine(words)].filter(Boolean).join(" · ");
}

const inLine = (text: string) => text.replace(TURNS, "").replace(/\s+/g, " ").trim().slice(0, 120);

/** Characters that turn the direction of what follows, which then reads otherwise than it is. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

const TIME = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/;
const DAY = /^[\d-]+(T00:00(:00(\.0+)?)?Z)?$/;
const ID = /^(?=.*\d)[\w-]{20,}$/;
const isTime = (value: unknown): value is string =>
  typeof value === "string" && TIME.test(value) && !Number.isNaN(Date.parse(value));
const isWords = (value: unknown): value is string =>
  typeof value === "string" && /\p{L}/u.test(value) && !TIME.test(value) && !ID.test(value);

/** "12 – 13 March 2026", in the reader's language and, like the times themselves, in UTC. */
function spanOf(from: string, to: string): string {
  const isDays = [from, to].every((time) => DAY.test(time));
  const format = new Intl.DateTimeFormat(undefined, {
    dateStyle: "medium",
    ...(!isDays && { timeStyle: "short" }),
    timeZone: "UTC",
  });
  const [start, end] = [new Date(from), new Date(to)];
  return start <= end ? format.formatRange(start, end) : format.format(start);
}

/** "3.4s", "1m 12s"; nothing below one second. */
export function formatElapsed(milliseconds: number, labels: TrayLabels): string {
  if (milliseconds < 1000) return "";
  if (milliseconds < 60_000) return labels.duration(0, (Math.floor(milliseconds / 100) / 10).toFixed(1));
  const seconds = Math.floor(milliseconds / 1000);
  return labels.duration(Math.floor(seconds / 60), String(seconds % 60));
}

const MAX_SHOWN = 20_000;

/** A value for reading: strings as they are (JSON in them indented), the rest as indented JSON. */
export function pretty(value: unknown): string {
  const text = typeof value === "string" ? indentJson(value) : stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** The arguments as parsed, or else as far as the model has written them. */
export function prettyArgs(call: ToolCallState): string {
  if (call.args !== undefined) return isEmptyObject(call.args) ? "" : pretty(call.args);
  const text = pretty(call.argsText);
  return text === "{}" ? "" : text;
}

const isEmptyObject = (value: unknown) =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

function indentJson(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

function stringify(value: unknown): string {
  try {
    const json = JSON.stringify(value, null, 2) ?? String(value);
    return json.replace(TURNS, (turn) => `\\u${turn.charCodeAt(0).toString(16)}`);
  } catch {
    return String(value);
  }
}
