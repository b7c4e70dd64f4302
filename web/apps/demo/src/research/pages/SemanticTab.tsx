import { useState } from "react";
import { Icon } from "../../components/Icon.tsx";
import { researchApi } from "../api.ts";
import { ValidationView } from "../assistant/CardViews.tsx";
import { keyOf } from "../state/stream-draft.ts";
import { forSaving } from "../state/stream-draft.ts";
import type { StreamDraft } from "../state/use-stream-draft.ts";
import type { FieldType, SchemaField, Validation } from "../types.ts";
import { Field } from "../ui/Field.tsx";
import { fieldTypes, messageOf } from "../ui/text.ts";
import { InstructionsPanel } from "./InstructionsPanel.tsx";

/** What the stream is for, and what is to be read out of each article. */
export function SemanticTab({ editor }: { editor: StreamDraft }) {
  const { draft, problems, dispatch } = editor;
  return (
    <div className="columns-2">
      <section className="panel form" aria-labelledby="schema-title">
        <div className="form-head">
          <h2 id="schema-title">Schema</h2>
          <p className="muted">What is read out of each article</p>
          <span className="spring" />
          <button type="button" className="button" onClick={() => dispatch({ type: "add-field" })}>
            <Icon name="plus" size={14} />
            Add field
          </button>
        </div>
        {draft.schema.fields.length === 0 && (
          <p className="form-empty">No fields yet. Add one, or ask the assistant for a proposal.</p>
        )}
        <ul className="schema" data-flash={undefined}>
          {draft.schema.fields.map((field, index) => (
            <FieldRow key={index} field={field} index={index} editor={editor} />
          ))}
        </ul>
      </section>
      <div className="stack">
        <section className="panel form" aria-labelledby="about-title">
          <h2 id="about-title">About</h2>
          <Field label="Name" error={problems.get("name")}>
            {(props) => (
              <input
                {...props}
                className="input"
                value={draft.name}
                maxLength={120}
                onChange={(event) => dispatch({ type: "rename", name: event.target.value })}
              />
            )}
          </Field>
          <Field label="Purpose">
            {(props) => (
              <textarea
                {...props}
                className="input area"
                rows={4}
                value={draft.purpose}
                onChange={(event) => dispatch({ type: "purpose", purpose: event.target.value })}
              />
            )}
          </Field>
        </section>
        <InstructionsPanel streamId={draft.id} />
        <ValidationPanel editor={editor} />
      </div>
    </div>
  );
}

interface FieldRowProps {
  field: SchemaField;
  index: number;
  editor: StreamDraft;
}

function FieldRow({ field, index, editor: { draft, problems, dispatch } }: FieldRowProps) {
  const edit = (change: Partial<SchemaField>) =>
    dispatch({ type: "edit-field", index, field: { ...field, ...change } });
  const last = draft.schema.fields.length - 1;
  const name = field.label || field.key;
  // A key that was made from the label follows it; one that was written by hand stays.
  const follows = /^field_\d+$/.test(field.key) || field.key === keyOf(field.label);
  return (
    <li className="schema-field">
      <div className="schema-row">
        <Field label="Label" error={problems.get(`field:${index}:label`)}>
          {(props) => (
            <input
              {...props}
              className="input"
              value={field.label}
              maxLength={80}
              onChange={({ target: { value } }) =>
                edit({ label: value, ...(follows && keyOf(value) && { key: keyOf(value) }) })
              }
            />
          )}
        </Field>
        <Field label="Key" error={problems.get(`field:${index}:key`)}>
          {(props) => (
            <input
              {...props}
              className="input mono"
              spellCheck={false}
              value={field.key}
              maxLength={40}
              onChange={({ target }) => edit({ key: target.value })}
            />
          )}
        </Field>
        <Field label="Type">
          {(props) => (
            <select
              {...props}
              className="input"
              value={field.type}
              onChange={({ target }) => edit({ type: target.value as FieldType })}
            >
              {Object.entries(fieldTypes).map(([type, label]) => (
                <option key={type} value={type}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        <div className="schema-actions">
          <button
            type="button"
            className="icon-button icon-button-small"
            aria-label={`Move ${name} up`}
            disabled={index === 0}
            onClick={() => dispatch({ type: "move-field", index, by: -1 })}
          >
            <Icon name="sortUp" size={14} />
          </button>
          <button
            type="button"
            className="icon-button icon-button-small"
            aria-label={`Move ${name} down`}
            disabled={index === last}
            onClick={() => dispatch({ type: "move-field", index, by: 1 })}
          >
            <Icon name="sortDown" size={14} />
          </button>
          <button
            type="button"
            className="icon-button icon-button-small"
            aria-label={`Remove ${name}`}
            onClick={() => dispatch({ type: "remove-field", index })}
          >
            <Icon name="cross" size={14} />
          </button>
        </div>
      </div>
      <Field label="Description">
        {(props) => (
          <input
            {...props}
            className="input"
            value={field.description ?? ""}
            maxLength={500}
            onChange={({ target }) => edit({ description: target.value })}
          />
        )}
      </Field>
      {field.type === "category" && (
        <Field label="Categories" hint="With commas between them" error={problems.get(`field:${index}:options`)}>
          {(props) => (
            <input
              {...props}
              className="input"
              value={(field.options ?? []).join(",")}
              onChange={({ target }) => edit({ options: target.value === "" ? [] : target.value.split(",") })}
            />
          )}
        </Field>
      )}
    </li>
  );
}

/** Checks the stream as it stands here, saved or not, against the library. */
function ValidationPanel({ editor: { draft } }: { editor: StreamDraft }) {
  const [state, setState] = useState<{ busy?: boolean; result?: Validation; error?: string }>({});
  const check = async () => {
    setState((was) => ({ ...was, busy: true, error: undefined }));
    try {
      setState({ result: await researchApi.validate(forSaving(draft)) });
    } catch (error) {
      setState({ error: messageOf(error) });
    }
  };
  return (
    <section className="panel form" aria-labelledby="check-title">
      <div className="form-head">
        <h2 id="check-title">Check</h2>
        <span className="spring" />
        <button type="button" className="button" disabled={state.busy} onClick={() => void check()}>
          {state.busy ? "Checking…" : "Check now"}
        </button>
      </div>
      <div aria-live="polite">
        {state.error && (
          <p className="form-note" data-bad>
            {state.error}
          </p>
        )}
        {state.result ? (
          <ValidationView data={state.result} />
        ) : (
          <p className="form-note">Tries the search and the fields on what the library holds.</p>
        )}
      </div>
    </section>
  );
}
