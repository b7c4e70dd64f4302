/** Mistakes of a page that nothing else reports: each is warned of once. */
import type { Tool } from "@ag-ui/core";
import type { ContextEntryInfo } from "../page/types.js";

/** The warnings since the page was loaded. */
const told = new Set<string>();

/** Warns of context that is never sent, and of tools whose arguments no call can match. */
export function warnOfMistakes(context: readonly ContextEntryInfo[], tools: readonly Tool[]): void {
  const unsent = context.filter(({ auto, label }) => !auto && !label).map(({ description }) => neverSent(description));
  const misspelt = tools.flatMap(({ name, parameters }) =>
    unknownTypes(parameters, "parameters").map((where) => neverValid(name, where)),
  );
  for (const text of [...unsent, ...misspelt]) {
    if (!told.has(text)) console.warn(`Pageside: ${text}`);
    told.add(text);
  }
}

const neverSent = (description: string) =>
  `the context "${description}" is never sent: with \`auto: false\` the user has to mention it, which needs a \`label\`.`;

const neverValid = (tool: string, where: string) =>
  `every call of the tool "${tool}" will fail: ${where} is no type of JSON Schema. There are ${TYPES.join(", ")}.`;

const TYPES: readonly unknown[] = ["string", "number", "integer", "boolean", "object", "array", "null"];

/** Keywords whose members have names of the page's, and those that have values, not schemas. */
const NAMED = /^(properties|patternProperties|dependentSchemas|\$defs|definitions)$/;
const VALUES = /^(const|enum|default|examples?)$/;

/** The unknown types in a schema, each with where it stands. */
function unknownTypes(schema: unknown, path: string): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]: [string, unknown]) => {
    const at = `${path}.${keyword}`;
    if (keyword === "type")
      return [value].flat().flatMap((type) => (TYPES.includes(type) ? [] : [`${at}, ${JSON.stringify(type)},`]));
    if (VALUES.test(keyword)) return [];
    if (!NAMED.test(keyword)) return unknownTypes(value, at);
    return Object.entries(value ?? {}).flatMap(([name, inner]) => unknownTypes(inner, `${at}.${name}`));
  });
}
