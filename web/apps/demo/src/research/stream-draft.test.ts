import { describe, expect, it } from "vitest";
import { sampleStream } from "./testing/sample.ts";
import type { SchemaField } from "./types.ts";
import {
  changeSchema,
  forSaving,
  isDirty,
  keyOf,
  problemsOf,
  streamReducer,
  type StreamAction,
} from "./stream-draft.ts";

const after = (...actions: StreamAction[]) => actions.reduce(streamReducer, sampleStream);
const keys = (fields: readonly SchemaField[]) => fields.map(({ key }) => key);

describe("a stream's draft", () => {
  it("is dirty exactly as long as it differs", () => {
    expect(isDirty(sampleStream, sampleStream)).toBe(false);
    const renamed = after({ type: "set", name: "Other" });
    expect(isDirty(renamed, sampleStream)).toBe(true);
    expect(isDirty(streamReducer(renamed, { type: "set", name: sampleStream.name }), sampleStream)).toBe(false);
    expect(isDirty({ ...sampleStream, version: 9, updatedAt: "later" }, sampleStream)).toBe(false);
    expect(
      isDirty(after({ type: "retrieval", retrieval: { filters: { from: "2020", types: [] } } }), sampleStream),
    ).toBe(false);
  });

  it("takes a schema proposal: what counts is the result, whatever a change is called", () => {
    const { fields } = sampleStream.schema;
    const changes = {
      add: [
        { key: "dose", label: "Dose", type: "number" as const },
        { key: "design", label: "Study design", type: "category" as const },
      ],
      change: [{ key: "nct", label: "Trial", type: "text" as const }],
      remove: ["population", "not there"],
    };
    const next = changeSchema(fields, changes);
    expect(keys(next)).toEqual(["design", "nct", "dose"]);
    expect(next[0]).toEqual({ ...fields[1], label: "Study design" });
    expect(keys(fields)).toEqual(["population", "design"]);
    expect(isDirty(after({ type: "change-schema", changes }, { type: "set", schema: { fields } }), sampleStream)).toBe(
      false,
    );
  });

  it("gives new fields keys of their own", () => {
    const two = after(
      { type: "add-field" },
      { type: "add-field" },
      { type: "remove-field", index: 2 },
      { type: "add-field" },
    );
    expect(new Set(keys(two.schema.fields)).size).toBe(4);
  });

  it("says what keeps it from being saved, and where", () => {
    const bad = after(
      { type: "set", name: " " },
      { type: "edit-field", index: 0, field: { key: "design", label: "", type: "category" } },
      { type: "edit-field", index: 1, field: { key: "Design!", label: "Design", type: "text" } },
    );
    expect([...problemsOf(bad).keys()]).toEqual(["name", "field:0:label", "field:0:options", "field:1:key"]);
    expect(problemsOf(after({ type: "add-field" })).has("field:2:label")).toBe(true);
    expect(problemsOf(sampleStream).size).toBe(0);
  });

  it("is saved without empty things", () => {
    const saved = forSaving(
      after(
        { type: "set", name: " A " },
        { type: "edit-field", index: 1, field: { ...sampleStream.schema.fields[1]!, options: [" a", "", "b "] } },
      ),
    );
    expect(saved.name).toBe("A");
    expect(saved.schema.fields[1]!.options).toEqual(["a", "b"]);
    expect(saved.schema.fields[0]).not.toHaveProperty("options");
  });

  it.each([
    ["First author", "first_author"],
    ["Überleben (%)", "uberleben"],
    ["  24 months", "months"],
    ["###", ""],
  ])("makes of %j the key %j", (label, key) => expect(keyOf(label)).toBe(key));
});
