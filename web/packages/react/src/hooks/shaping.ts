/** Keeps context short, and parts of it private. Loaded when a `useDynamicContext` asks for it. */
import type { ContextValue } from "@pageside/core";
import { HIDDEN, replace } from "./secrets.js";

/** About so many characters are a token. */
const PER_TOKEN = 4;

/**
 * Names of members whose values are hidden, at any depth, or a function that takes the value and
 * returns what is sent.
 */
export type Redact = readonly string[] | ((value: unknown) => unknown);

/** How a `useDynamicContext` wants its value to be sent. */
interface Shape {
  description: string;
  label?: string;
  items?: readonly unknown[];
  budget?: number;
  redact?: Redact;
}

/** The shaped value, as it is sent. */
export function shape(value: unknown, { budget, redact, ...entry }: Shape): ContextValue {
  const shown = redact ? redacted(value, redact) : value;
  return (budget === undefined ? shown : cut(shown, budget * PER_TOKEN, entry)) as ContextValue;
}

/** The value without what `redact` takes out of it. */
export function redacted(value: unknown, redact: Redact): unknown {
  if (typeof redact === "function") return redact(value);
  const names = new Set(redact.map((name) => name.toLowerCase()));
  return replace(value, (name, inner) => (names.has(name.toLowerCase()) ? HIDDEN : settled(name, inner)));
}

/** Refuses a promise, as the core does: as the JSON of before it would be `{}`. */
function settled(_: string, value: unknown): unknown {
  if (value instanceof Promise) throw new TypeError("It has a promise. Await it first.");
  return value;
}

/** As much as fits, and how much is missing. Lists are cut between items. */
function cut(value: unknown, most: number, { items, label, description }: Omit<Shape, "budget" | "redact">): unknown {
  const text = typeof value === "string" ? value : JSON.stringify(value, settled);
  if (text === undefined || text.length <= most) return value;
  const more = items ? `: call retrieve_items with source ${JSON.stringify(label ?? description)}` : "";
  if (!Array.isArray(value)) {
    return `${wellFormed(text.slice(0, most))}\n…and ${text.length - most} more characters${more}`;
  }
  const texts = value.map((item) => JSON.stringify(item) ?? "null");
  let room = most - 2; // the brackets
  const fitting = texts.findIndex((each) => (room -= each.length + 1) < 0);
  return `[${texts.slice(0, fitting).join(",")}]\n…and ${value.length - fitting} more of ${value.length}${more}`;
}

/** The text without half an emoji at its end. */
function wellFormed(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, "");
}
