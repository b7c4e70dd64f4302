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
  const named = options
    .filter(({ value, label }) => label.trim() !== value)
    .map(({ value, label }) => `${value || '""'}: ${label.trim()}`);
  return chosenFrom(options, select.multiple, described(labelOf(select, roots), named.join("; ")));
}

function choiceOf(group: readonly HTMLInputElement[], roots: Roots): JsonSchema {
  const [first] = group as [HTMLInputElement];
  const named = group.flatMap((input) => {
    const label = labelOf(input, roots);
    return label && label !== input.value ? [`${input.value}: ${label}`] : [];
  });
  return chosenFrom(group, first.type !== "radio", described(legendOf(first, roots), named.join("; ")));
}

/** One of some values, or any number of them. */
function chosenFrom(options: readonly { value: string }[], multiple: boolean, words: object): JsonSchema {
  const values = [...new Set(options.map(({ value }) => value))];
  const item = { type: "string", ...(values.length > 0 && { enum: values }) };
  return multiple ? { type: "array", items: item, uniqueItems: true, ...words } : { ...item, ...words };
}

function legendOf(input: HTMLInputElement, roots: Roots): string | undefined {
  const fieldset = input.closest("fieldset");
  const legend = fieldset && allBelow(fieldset, "legend").find((each) => roots.covers(each));
  return (legend && readText(legend)) || undefined;
}

/** What fields of a type hold: as a pattern, and in words, which a range may follow. */
const FORMATS: Partial<Record<string, { pattern: string; words?: string }>> = {
  date: { pattern: "^\\d{4}-\\d{2}-\\d{2}$", words: "YYYY-MM-DD" },
  time: { pattern: "^\\d{2}:\\d{2}(:\\d{2})?$", words: "HH:MM" },
  "datetime-local": { pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2})?$", words: "YYYY-MM-DDTHH:MM" },
  month: { pattern: "^\\d{4}-\\d{2}$", words: "YYYY-MM" },
  week: { pattern: "^\\d{4}-W\\d{2}$", words: "YYYY-Www" },
  color: { pattern: "^#[0-9a-fA-F]{6}$" },
};

function typeOf(field: Exclude<Field, HTMLSelectElement>): JsonSchema {
  const format = FORMATS[field.type];
  if (format) return { type: "string", pattern: format.pattern };
  if (field.type === "checkbox") return { type: "boolean" };
  return field instanceof HTMLInputElement && /^(?:number|range)$/.test(field.type) ? numberOf(field) : textOf(field);
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
function textOf({ minLength, maxLength }: Exclude<Field, HTMLSelectElement>): JsonSchema {
  return { type: "string", ...(minLength > 0 && { minLength }), ...(maxLength >= 0 && { maxLength }) };
}

/** The hint for a field's type, such as the format and range of a date. */
function hintOf(field: Field): string | undefined {
  if (!(field instanceof HTMLInputElement)) return undefined;
  const { type, min, max } = field;
  const words = FORMATS[type]?.words;
  if (!words) return { email: "an email address", url: "a URL", color: "#rrggbb" }[type];
  return [words, min && `from ${min}`, max && `until ${max}`].filter(Boolean).join(", ");
}

function described(label: string | undefined, hint: string | undefined): { description?: string } {
  const description = label && hint ? `${label} (${hint})` : label || hint;
  return description ? { description: brief(description) } : {};
}
