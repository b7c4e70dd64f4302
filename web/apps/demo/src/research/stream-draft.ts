import { clean } from "./filters.ts";
import type { Retrieval, SchemaField, Stream } from "./types.ts";

/*
 * The draft of a stream: the user and accepted proposals change it, saving sends it to the server.
 */

/** What a schema proposal changes. */
export interface SchemaChanges {
  add?: SchemaField[];
  change?: SchemaField[];
  remove?: string[];
}

/** The actions on the draft. */
export type StreamAction =
  | ({ type: "set" } & Partial<Pick<Stream, "name" | "purpose" | "columns" | "schema">>)
  | { type: "add-field" }
  | { type: "edit-field"; index: number; field: SchemaField }
  | { type: "remove-field"; index: number }
  | { type: "change-schema"; changes: SchemaChanges }
  | { type: "retrieval"; retrieval: Partial<Retrieval> }
  | { type: "replace"; stream: Stream };

/** The draft after an action. */
export function streamReducer(draft: Stream, action: StreamAction): Stream {
  const { fields } = draft.schema;
  const withFields = (next: SchemaField[]) => ({ ...draft, schema: { fields: next } });
  switch (action.type) {
    case "set": {
      const { type, ...parts } = action;
      void type;
      return { ...draft, ...parts };
    }
    case "add-field":
      return withFields([...fields, { key: newKey(fields), label: "", type: "text", description: "" }]);
    case "edit-field":
      return withFields(fields.with(action.index, action.field));
    case "remove-field":
      return withFields(fields.toSpliced(action.index, 1));
    case "change-schema":
      return withFields(changeSchema(fields, action.changes));
    case "retrieval":
      return { ...draft, retrieval: { ...draft.retrieval, ...action.retrieval } };
    case "replace":
      return action.stream;
  }
}

function newKey(fields: readonly SchemaField[]): string {
  let number = fields.length + 1;
  while (fields.some(({ key }) => key === `field_${number}`)) number++;
  return `field_${number}`;
}

/** Adding an existing field changes it, and changing a missing field adds it. */
export function changeSchema(fields: readonly SchemaField[], { add = [], change = [], remove = [] }: SchemaChanges) {
  const next = new Map(fields.map((field) => [field.key, field]));
  for (const key of remove) next.delete(key);
  for (const field of [...change, ...add]) next.set(field.key, { ...next.get(field.key), ...field });
  return [...next.values()];
}

/** Reports whether the draft differs from the stream, apart from what the server sets. */
export function isDirty(draft: Stream, saved: Stream): boolean {
  const essence = (stream: Stream) => JSON.stringify({ ...forSaving(stream), version: 0, updatedAt: "" });
  return essence(draft) !== essence(saved);
}

/** The stream as it is sent: texts trimmed, empty options left out, members in a fixed order. */
export function forSaving(draft: Stream): Stream {
  const { id, name, purpose, schema, retrieval, columns, version } = draft;
  return {
    id,
    name: name.trim(),
    purpose: purpose.trim(),
    schema: {
      fields: schema.fields.map(({ key, label, type, description = "", options = [] }) => ({
        key,
        label: label.trim(),
        type,
        description: description.trim(),
        ...(type === "category" && { options: options.map((option) => option.trim()).filter(Boolean) }),
      })),
    },
    retrieval: {
      query: retrieval.query.trim(),
      filters: clean(retrieval.filters),
      maxResults: retrieval.maxResults,
    },
    columns: columns.map(({ name, criteria, type }) => ({ name, criteria, type })),
    version,
  };
}

/** What keeps a draft from being saved, by input: `name`, `field:3:label`. */
export function problemsOf(draft: Stream): Map<string, string> {
  const problems = new Map<string, string>();
  if (!draft.name.trim()) problems.set("name", "A stream needs a name.");
  const { fields } = draft.schema;
  fields.forEach(({ key, label, type, options }, index) => {
    if (!label.trim()) problems.set(`field:${index}:label`, "Give the field a label.");
    if (!/^[a-z][a-z0-9_]{0,39}$/.test(key))
      problems.set(`field:${index}:key`, "Small letters, digits and _, beginning with a letter.");
    else if (fields.findIndex((field) => field.key === key) < index)
      problems.set(`field:${index}:key`, "Another field has this key.");
    if (type === "category" && !options?.some((option) => option.trim()))
      problems.set(`field:${index}:options`, "Name the categories.");
  });
  return problems;
}

/** "first_author" of "First author". */
export function keyOf(label: string): string {
  return label
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[_0-9]+|_+$/g, "")
    .slice(0, 40);
}
