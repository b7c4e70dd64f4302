import type { Column, Retrieval, SchemaField, Stream } from "../types.ts";
import { cleanFilters } from "./filters.ts";
import { putColumn } from "./trial-view.ts";

/*
 * A stream as its page has it: the user and accepted proposals change the draft, saving makes it
 * the server's.
 */

/** What a schema proposal changes. */
export interface SchemaChanges {
  add?: SchemaField[];
  change?: SchemaField[];
  remove?: string[];
}

export type StreamAction =
  | { type: "rename"; name: string }
  | { type: "purpose"; purpose: string }
  | { type: "add-field" }
  | { type: "edit-field"; index: number; field: SchemaField }
  | { type: "move-field"; index: number; by: 1 | -1 }
  | { type: "remove-field"; index: number }
  | { type: "change-schema"; changes: SchemaChanges }
  | { type: "set-schema"; fields: SchemaField[] }
  | { type: "retrieval"; retrieval: Partial<Retrieval> }
  | { type: "put-column"; column: Column }
  | { type: "remove-column"; name: string }
  | { type: "set-columns"; columns: Column[] }
  | { type: "replace"; stream: Stream };

export function streamReducer(draft: Stream, action: StreamAction): Stream {
  const { fields } = draft.schema;
  const withFields = (next: SchemaField[]) => ({ ...draft, schema: { fields: next } });
  switch (action.type) {
    case "rename":
      return { ...draft, name: action.name };
    case "purpose":
      return { ...draft, purpose: action.purpose };
    case "add-field":
      return withFields([...fields, newField(fields)]);
    case "edit-field":
      return withFields(fields.with(action.index, action.field));
    case "move-field":
      return withFields(moved(fields, action.index, action.index + action.by));
    case "remove-field":
      return withFields(fields.toSpliced(action.index, 1));
    case "change-schema":
      return withFields(changeSchema(fields, action.changes));
    case "set-schema":
      return withFields(action.fields);
    case "retrieval":
      return { ...draft, retrieval: { ...draft.retrieval, ...action.retrieval } };
    case "put-column":
      return { ...draft, columns: putColumn(draft.columns, action.column) };
    case "remove-column":
      return { ...draft, columns: draft.columns.filter(({ name }) => name !== action.name) };
    case "set-columns":
      return { ...draft, columns: action.columns };
    case "replace":
      return action.stream;
  }
}

function newField(fields: readonly SchemaField[]): SchemaField {
  const keys = new Set(fields.map(({ key }) => key));
  let number = fields.length + 1;
  while (keys.has(`field_${number}`)) number++;
  return { key: `field_${number}`, label: "", type: "text", description: "" };
}

function moved<T>(items: readonly T[], from: number, to: number): T[] {
  if (to < 0 || to >= items.length) return [...items];
  const next = items.toSpliced(from, 1);
  next.splice(to, 0, items[from]!);
  return next;
}

/**
 * A field to add that is there already is changed, one to change that is not there is added: what
 * counts is the result.
 */
export function changeSchema(fields: readonly SchemaField[], { add = [], change = [], remove = [] }: SchemaChanges) {
  const removed = new Set(remove);
  const next = fields.filter(({ key }) => !removed.has(key));
  for (const field of [...change, ...add]) {
    const at = next.findIndex(({ key }) => key === field.key);
    if (at < 0) next.push(field);
    else next[at] = { ...next[at], ...field };
  }
  return next;
}

/** The two without what only the server says, in one form. */
export function isDirty(draft: Stream, saved: Stream): boolean {
  return essence(draft) !== essence(saved);
}

function essence({ name, purpose, schema, retrieval, columns }: Stream): string {
  return JSON.stringify([
    name,
    purpose,
    schema.fields.map(({ key, label, type, description = "", options = [] }) => [
      key,
      label,
      type,
      description,
      options,
    ]),
    [retrieval.query, cleanFilters(retrieval.filters), retrieval.maxResults],
    columns.map(({ name, criteria, type, match }) => [name, criteria, type, match.field, match.any]),
  ]);
}

/** As it is sent: names trimmed, empty options left out. */
export function forSaving(draft: Stream): Stream {
  return {
    ...draft,
    name: draft.name.trim(),
    purpose: draft.purpose.trim(),
    schema: {
      fields: draft.schema.fields.map((field) => ({
        key: field.key,
        label: field.label.trim(),
        type: field.type,
        description: field.description?.trim() ?? "",
        ...(field.type === "category" && { options: (field.options ?? []).map((o) => o.trim()).filter(Boolean) }),
      })),
    },
    retrieval: {
      ...draft.retrieval,
      query: draft.retrieval.query.trim(),
      filters: cleanFilters(draft.retrieval.filters),
    },
  };
}

/** What keeps a draft from being saved, by the place where it is said: `name`, `field:3:label`. */
export function problemsOf(draft: Stream): Map<string, string> {
  const problems = new Map<string, string>();
  if (!draft.name.trim()) problems.set("name", "A stream needs a name.");
  const seen = new Set<string>();
  draft.schema.fields.forEach((field, index) => {
    const { key, label, type, options } = field;
    if (!label.trim()) problems.set(`field:${index}:label`, "Give the field a label.");
    if (!/^[a-z][a-z0-9_]{0,39}$/.test(key))
      problems.set(`field:${index}:key`, "Small letters, digits and _, beginning with a letter.");
    else if (seen.has(key)) problems.set(`field:${index}:key`, "Another field has this key.");
    if (type === "category" && !options?.some((option) => option.trim()))
      problems.set(`field:${index}:options`, "Name the categories.");
    seen.add(key);
  });
  return problems;
}

/** "first_author" of "First author". */
export function keyOf(label: string): string {
  const key = label
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[_0-9]+|_+$/g, "");
  return key.slice(0, 40);
}
