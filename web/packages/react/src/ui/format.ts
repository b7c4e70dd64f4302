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

/**
 * The first telling argument of a call, in one line; a bare number with its name. Before it stands
 * the range `from` and `to`, by which several calls may differ.
 */
export function summarize(args: unknown): string {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return "";
  const { from, to, ...others } = args as Record<string, unknown>;
  if (!isTelling(from) || !isTelling(to)) return firstOf(args);
  const part = from === to ? inLine(from) : `${inLine(from)}–${inLine(to)}`;
  return [part, firstOf(others)].filter(Boolean).join(" · ");
}

const isTelling = (value: unknown) => typeof value === "string" || typeof value === "number";
const inLine = (value: unknown) => String(value).replace(/\s+/g, " ").trim().slice(0, 120);

function firstOf(args: object): string {
  const found = Object.entries(args).find(([, item]) => isTelling(item));
  if (!found) return "";
  const value = inLine(found[1]);
  return /^\d+$/.test(value) ? `${humanize(found[0])} ${value}` : value;
}

/** "3.4s", "1m 12s"; nothing below one second. */
export function formatElapsed(milliseconds: number, labels: TrayLabels): string {
  if (milliseconds < 1000) return "";
  if (milliseconds < 60_000) return labels.seconds((Math.floor(milliseconds / 100) / 10).toFixed(1));
  const seconds = Math.floor(milliseconds / 1000);
  return labels.minutes(Math.floor(seconds / 60), seconds % 60);
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
    return JSON.stringify(value, null, 2) ?? String(value);
  } catch {
    return String(value);
  }
}

/** The error for the user: in the tray's words where the code is known. */
export function errorText(cause: unknown, labels: TrayLabels): string {
  const { error } = (typeof cause === "object" && cause !== null ? cause : {}) as { error?: { code?: unknown } };
  const known = typeof error?.code === "string" ? labels.errorSentence(error.code) : undefined;
  return known ?? (cause instanceof Error ? cause.message : String(cause));
}
