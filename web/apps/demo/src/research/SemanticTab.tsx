import { useState } from "react";
import { AskButton, Button, IconButton } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { useLoad } from "../ui/hooks.ts";
import { messageOf } from "../ui/text.ts";
import { streamInstructions } from "./api.ts";
import { keyOf } from "./stream-draft.ts";
import { fieldTypes } from "./text.ts";
import type { FieldType, SchemaField } from "./types.ts";
import type { StreamDraft } from "./use-stream-draft.ts";

/** The stream's purpose, and the fields to extract from each article. */
export function SemanticTab({ editor }: { editor: StreamDraft }) {
  const { draft, problems, dispatch } = editor;
  const { fields } = draft.schema;
  return (
    <div className="stack columns-2">
      <section className="panel form" aria-labelledby="schema-title">
        <div className="row">
          <h2 id="schema-title">Schema</h2>
          <p className="muted">What is read out of each article</p>
          <span className="spring" />
          <Button icon="plus" onClick={() => dispatch({ type: "add-field" })}>
            Add field
          </Button>
        </div>
        {fields.length === 0 && <p className="muted">No fields yet. Add one, or ask the assistant for a proposal.</p>}
        {fields.map((field, index) => (
          <FieldRow key={index} field={field} index={index} editor={editor} />
        ))}
      </section>
      <div className="stack">
        <section className="panel form" aria-labelledby="about-title">
          <h2 id="about-title">About</h2>
          <Field
            label="Name"
            error={problems.get("name")}
            value={draft.name}
            maxLength={120}
            onChange={(event) => dispatch({ type: "set", name: event.target.value })}
          />
          <Field
            as="textarea"
            label="Purpose"
            rows={4}
            value={draft.purpose}
            onChange={(event) => dispatch({ type: "set", purpose: event.target.value })}
          />
        </section>
        <InstructionsPanel streamId={draft.id} />
        <section className="panel form" aria-labelledby="check-title">
          <h2 id="check-title">Check</h2>
          <p className="form-note">Tries the search and the fields on what the library holds.</p>
          <AskButton question="Check the stream">Check it</AskButton>
        </section>
      </div>
    </div>
  );
}

interface FieldRowProps {
  field: SchemaField;
  index: number;
  editor: StreamDraft;
}

function FieldRow({ field, index, editor: { problems, dispatch } }: FieldRowProps) {
  const edit = (change: Partial<SchemaField>) =>
    dispatch({ type: "edit-field", index, field: { ...field, ...change } });
  // A key made from the label follows it; one written by hand stays.
  const follows = /^field_\d+$/.test(field.key) || field.key === keyOf(field.label);
  return (
    <div className="panel stack tight schema-field">
      <div className="stack tight schema-row">
        <Field
          label="Label"
          error={problems.get(`field:${index}:label`)}
          value={field.label}
          maxLength={80}
          onChange={({ target: { value } }) =>
            edit({ label: value, ...(follows && keyOf(value) && { key: keyOf(value) }) })
          }
        />
        <Field
          label="Key"
          error={problems.get(`field:${index}:key`)}
          className="mono"
          spellCheck={false}
          value={field.key}
          maxLength={40}
          onChange={({ target }) => edit({ key: target.value })}
        />
        <Field
          as="select"
          label="Type"
          value={field.type}
          onChange={({ target }) => edit({ type: target.value as FieldType })}
        >
          {Object.entries(fieldTypes).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Field>
        <IconButton
          icon="cross"
          label={`Remove ${field.label || field.key}`}
          size={14}
          onClick={() => dispatch({ type: "remove-field", index })}
        />
      </div>
      <Field
        label="Description"
        value={field.description ?? ""}
        maxLength={500}
        onChange={({ target }) => edit({ description: target.value })}
      />
      {field.type === "category" && (
        <Field
          label="Categories"
          hint="With commas between them"
          error={problems.get(`field:${index}:options`)}
          value={(field.options ?? []).join(",")}
          onChange={({ target }) => edit({ options: target.value.split(",") })}
        />
      )}
    </div>
  );
}

/** The assistant's instructions for this stream, stored by the server for all users. */
function InstructionsPanel({ streamId }: { streamId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="panel form fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="row">
        <h2>Assistant instructions</h2>
        <span className="muted">What it is told in this stream</span>
      </summary>
      {open && <Instructions streamId={streamId} />}
    </details>
  );
}

function Instructions({ streamId }: { streamId: string }) {
  const { data, error } = useLoad(streamId, (signal) => streamInstructions.read(streamId, signal));
  const [text, setText] = useState<string>();
  const [note, setNote] = useState<string>();
  const save = async () => {
    try {
      await streamInstructions.write(streamId, text ?? "");
      setNote("Saved. The assistant is told with the next question.");
    } catch (problem) {
      setNote(messageOf(problem));
    }
  };
  return (
    <form className="form-field" action={() => void save()}>
      <textarea
        className="input"
        rows={5}
        aria-label="Instructions for the assistant"
        placeholder="Focus on trial methodology and patient outcomes. Note any biomarker that is mentioned."
        disabled={data === undefined}
        value={text ?? data ?? ""}
        onChange={(event) => {
          setText(event.target.value);
          setNote(undefined);
        }}
      />
      <div className="row">
        <span className="form-note spring" role="status">
          {note ?? error?.message}
        </span>
        <Button type="submit" disabled={text === undefined || note !== undefined}>
          Save instructions
        </Button>
      </div>
    </form>
  );
}
