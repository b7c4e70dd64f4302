import type { JsonSchema } from "@pageside/core";
import { allBelow } from "./dom.js";
import { fieldsOf, labelOf, type Field } from "./fields.js";
import { readText } from "./read.js";
import type { Roots } from "./roots.js";
import { brief } from "./words.js";

/** The JSON Schema of a form's fields as tool arguments: one property per name. */
export function schemaOf(form: Element, roots: Roots): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [name, group] of fieldsOf(form, roots)) {
    const writable = group.filter((field) => !field.disabled && !("readOnly" in field && field.readOnly));
    if (writable.length === 0) continue;
    properties[name] = propertyOf(writable, roots);
    if (writable.some((field) => field.required) && writable[0]?.type !== "checkbox") required.push(name);
  }
  return { type: "object", properties, additionalProperties: false, ...(required.length > 0 && { required }) };
}

function propertyOf(group: readonly Field[], roots: Roots): JsonSchema {
  const [first] = group as [Field];
  if (first instanceof HTMLSelectElement) return selectOf(first, roots);
  if (first instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(first.type) && isChoice(group)) {
    return choiceOf(group as readonly HTMLInputElement[], roots);
  }
  return { ...typeOf(first), ...described(labelOf(first, roots), hintOf(first)) };
}

/** One check box is a yes or no; several of a name, and radio buttons, are choices. */
const isChoice = (group: readonly Field[]) => group.length > 1 || group[0]?.type === "radio";

function selectOf(select: HTMLSelectElement, roots: Roots): JsonSchema {
  const options = [...select.options].filter(({ disabled, value }) => !disabled && !(select.required && value === ""));
  const values = [...new Set(options.map(({ value }) => value))];
  const named = options
    .filter(({ value, label }) => label.trim() !== value)
    .map(({ value, label }) => `${value || '""'}: ${label.trim()}`);
  const words = described(labelOf(select, roots), named.length > 0 ? named.join("; ") : undefined);
  const item = { type: "string", ...(values.length > 0 && { enum: values }) };
  return select.multiple ? { type: "array", items: item, uniqueItems: true, ...words } : { ...item, ...words };
}

function choiceOf(group: readonly HTMLInputElement[], roots: Roots): JsonSchema {
  const [first] = group as [HTMLInputElement];
  const named = group.flatMap((input) => {
    const label = labelOf(input, roots);
    return label && label !== input.value ? [`${input.value}: ${label}`] : [];
  });
  const words = described(legendOf(first, roots), named.length > 0 ? named.join("; ") : undefined);
  const item = { type: "string", enum: [...new Set(group.map(({ value }) => value))] };
  return first.type === "radio" ? { ...item, ...words } : { type: "array", items: item, uniqueItems: true, ...words };
}

function legendOf(input: HTMLInputElement, roots: Roots): string | undefined {
  const fieldset = input.closest("fieldset");
  const legend = fieldset && allBelow(fieldset, "legend").find((each) => roots.covers(each));
  return (legend && readText(legend)) || undefined;
}

function typeOf(field: Field): JsonSchema {
  if (field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement) return textOf(field);
  switch (field.type) {
    case "checkbox":
      return { type: "boolean" };
    case "number":
    case "range":
      return numberOf(field);
    case "date":
      return { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" };
    case "time":
      return { type: "string", pattern: "^\\d{2}:\\d{2}(:\\d{2})?$" };
    case "datetime-local":
      return { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2})?$" };
    case "month":
      return { type: "string", pattern: "^\\d{4}-\\d{2}$" };
    case "week":
      return { type: "string", pattern: "^\\d{4}-W\\d{2}$" };
    case "color":
      return { type: "string", pattern: "^#[0-9a-fA-F]{6}$" };
    default:
      return textOf(field);
  }
}

function numberOf({ min, max, step }: HTMLInputElement): JsonSchema {
  const isWhole = step !== "any" && Number.isInteger(Number(step || 1)) && Number.isInteger(Number(min || 0));
  return {
    type: isWhole ? "integer" : "number",
    ...(min !== "" && { minimum: Number(min) }),
    ...(max !== "" && { maximum: Number(max) }),
  };
}

/** Patterns are left to the form: browsers and schemas differ in their syntax. */
function textOf(field: Field): JsonSchema {
  if (field instanceof HTMLSelectElement) return { type: "string" };
  return {
    type: "string",
    ...(field.minLength > 0 && { minLength: field.minLength }),
    ...(field.maxLength >= 0 && { maxLength: field.maxLength }),
  };
}

/** The hint for a field's type, such as the format and range of a date. */
function hintOf(field: Field): string | undefined {
  if (!(field instanceof HTMLInputElement)) return undefined;
  const form = {
    date: "YYYY-MM-DD",
    time: "HH:MM",
    "datetime-local": "YYYY-MM-DDTHH:MM",
    month: "YYYY-MM",
    week: "YYYY-Www",
  }[field.type];
  if (!form) return { email: "an email address", url: "a URL", color: "#rrggbb" }[field.type];
  return [form, field.min && `from ${field.min}`, field.max && `until ${field.max}`].filter(Boolean).join(", ");
}

function described(...parts: (string | undefined)[]): { description?: string } {
  const [label, hint] = parts;
  const description = label && hint ? `${label} (${hint})` : (label ?? hint);
  return description ? { description: brief(description) } : {};
}
