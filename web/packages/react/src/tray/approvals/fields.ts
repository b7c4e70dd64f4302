import type { Json } from "@pageside/core";
import { humanize, pretty } from "../../ui/format.js";

/** A field to fill in. */
export interface Field {
  /** The name of the value. */
  name: string;
  /** The name on screen. */
  label: string;
  /** The kind of value, which determines the input. */
  kind: "text" | "number" | "integer" | "boolean" | "one" | "many" | "json";
  /** Of `one` and `many`. */
  options?: string[];
  /** Must it be filled in? */
  required: boolean;
}

/** The contents of the inputs, by name. */
export type Draft = Record<string, string | boolean | string[]>;

/** The error of an input. */
export type FieldProblem = "required" | "number" | "json";

interface Schema {
  type?: unknown;
  title?: unknown;
  enum?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: unknown;
}

/** The fields of an object's JSON Schema. */
export function fieldsOf(schema: unknown): Field[] {
  const { properties = {}, required } = (schema ?? {}) as Schema;
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    label: typeof property.title === "string" ? property.title : humanize(name),
    required: isRequired(name),
    ...kindOf(property),
  }));
}

function kindOf({ type, items, enum: values }: Schema): Pick<Field, "kind" | "options"> {
  if (areTexts(values)) return { kind: "one", options: values };
  if (type === "array" && areTexts(items?.enum)) return { kind: "many", options: items.enum };
  if (type === "number" || type === "integer" || type === "boolean") return { kind: type };
  return { kind: type === "string" ? "text" : "json" };
}

const areTexts = (values: unknown): values is string[] =>
  Array.isArray(values) && values.every((each) => typeof each === "string");

/** The fields of an object without a schema, by its values. */
export function fieldsOfValues(values: Record<string, unknown>): Field[] {
  const types = Object.entries(values).map(([name, value]) => [name, { type: typeof value }] as const);
  const required = types.filter(([, { type }]) => type !== "string").map(([name]) => name);
  return fieldsOf({ properties: Object.fromEntries(types), required });
}

/** What the inputs show at first. */
export function toDraft(fields: readonly Field[], values: Record<string, unknown> = {}): Draft {
  return Object.fromEntries(fields.map((field) => [field.name, toInput(field, values[field.name])]));
}

function toInput({ kind }: Field, value: unknown): Draft[string] {
  if (kind === "boolean") return value === true;
  if (kind === "many") return Array.isArray(value) ? value.map(String) : [];
  if (value === undefined) return "";
  return kind === "json" ? pretty(JSON.stringify(value)) : String(value);
}

/** Reads the values, or what is wrong with them. Empty fields are left out, except texts. */
export function readDraft(fields: readonly Field[], draft: Draft) {
  const values: Record<string, Json> = {};
  const problems: Record<string, FieldProblem> = {};
  for (const field of fields) {
    const { value, problem } = readField(field, draft[field.name]);
    if (problem) problems[field.name] = problem;
    else if (value !== undefined) values[field.name] = value;
  }
  return { values, problems };
}

function readField({ kind, required }: Field, input: Draft[string] = ""): { value?: Json; problem?: FieldProblem } {
  if (kind === "boolean") return { value: input === true };
  const isEmpty = String(input).trim() === ""; // an empty list too
  if (isEmpty && required) return { problem: "required" };
  if (isEmpty) return kind === "text" ? { value: input } : {};
  if (kind === "json") return readJson(String(input));
  if (kind !== "number" && kind !== "integer") return { value: input };
  const isNumber = kind === "integer" ? Number.isInteger : Number.isFinite;
  return isNumber(Number(input)) ? { value: Number(input) } : { problem: "number" };
}

function readJson(text: string): { value?: Json; problem?: FieldProblem } {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: "json" };
  }
}
