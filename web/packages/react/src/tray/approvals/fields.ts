import type { Json } from "@pageside/core";
import { humanize, pretty } from "../../ui/format.js";

/** A field to fill in. */
export interface Field {
  /** The name of the value. */
  name: string;
  /** The name on screen. */
  label: string;
  /** The kind of value, which determines the input. */
  kind: "text" | "number" | "boolean" | "one" | "many" | "json";
  /** Of `one` and `many`. */
  options: string[];
  /** Must it be filled in? */
  required: boolean;
  /** Of a number: must it be a whole one? */
  integer: boolean;
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

function kindOf(schema: Schema): Pick<Field, "kind" | "options" | "integer"> {
  const { type, items } = schema;
  const field = (kind: Field["kind"], options: string[] = []) => ({ kind, options, integer: type === "integer" });
  if (textsOf(schema)) return field("one", textsOf(schema));
  if (type === "array" && items && textsOf(items)) return field("many", textsOf(items));
  if (type === "string") return field("text");
  if (type === "number" || type === "integer") return field("number");
  return field(type === "boolean" ? "boolean" : "json");
}

function textsOf({ enum: values }: Schema): string[] | undefined {
  return Array.isArray(values) && values.every((each) => typeof each === "string") ? values : undefined;
}

/** The fields of an object without a schema, by its values. */
export function fieldsOfValues(values: Record<string, unknown>): Field[] {
  return Object.entries(values).map(([name, value]) => ({
    name,
    label: humanize(name),
    kind: (["text", "number", "boolean"] as const).find((kind) => TYPES[kind] === typeof value) ?? "json",
    options: [],
    required: typeof value !== "string",
    integer: false,
  }));
}

const TYPES = { text: "string", number: "number", boolean: "boolean" } as const;

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
export function readDraft(
  fields: readonly Field[],
  draft: Draft,
): { values: Record<string, Json>; problems: Record<string, FieldProblem> } {
  const values: Record<string, Json> = {};
  const problems: Record<string, FieldProblem> = {};
  for (const field of fields) {
    const read = readField(field, draft[field.name]);
    if ("problem" in read) problems[field.name] = read.problem;
    else if (read.value !== undefined) values[field.name] = read.value;
  }
  return { values, problems };
}

function readField(field: Field, input: Draft[string] = ""): { value: Json | undefined } | { problem: FieldProblem } {
  const { kind, required, integer } = field;
  if (kind === "boolean") return { value: input === true };
  const isEmpty = String(input).trim() === ""; // an empty list too
  if (isEmpty && required) return { problem: "required" };
  if (isEmpty) return { value: kind === "text" ? input : undefined };
  if (kind === "number") {
    const number = Number(input);
    return Number.isFinite(number) && (!integer || Number.isInteger(number))
      ? { value: number }
      : { problem: "number" };
  }
  return kind === "json" ? readJson(String(input)) : { value: input };
}

function readJson(text: string): { value: Json | undefined } | { problem: FieldProblem } {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: "json" };
  }
}
