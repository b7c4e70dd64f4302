import { useState } from "react";
import { Icon } from "../../components/Icon.tsx";
import { Popover } from "../../components/Popover.tsx";
import type { Column, FieldType } from "../types.ts";
import { Field } from "./Field.tsx";
import { fieldTypes } from "./text.ts";

const fields = {
  articles: ["any", "title", "abstract", "mesh", "types", "journal", "authors", "date"],
  trials: ["any", "title", "summary", "phases", "status", "conditions", "interventions", "outcomes", "sponsor"],
} as const;

const results: Record<FieldType, string> = {
  yes_no: "Yes where one of the words is there.",
  category: "The first of the words that is there.",
  number: "How often the words are there.",
  text: "The sentence with one of the words.",
};

interface AddColumnProps {
  target: keyof typeof fields;
  taken: readonly string[];
  onAdd(column: Column): void;
}

/** Makes a column by hand, as the assistant makes it from a sentence. */
export function AddColumn(props: AddColumnProps) {
  return (
    <Popover
      label="Add a column"
      button={(button) => (
        <button {...button} type="button" className="button button-quiet">
          <Icon name="plus" size={14} />
          Add column
        </button>
      )}
    >
      {(close) => <ColumnForm {...props} close={close} />}
    </Popover>
  );
}

function ColumnForm({ target, taken, onAdd, close }: AddColumnProps & { close(): void }) {
  const [name, setName] = useState("");
  const [type, setType] = useState<FieldType>("yes_no");
  const [field, setField] = useState("any");
  const [words, setWords] = useState("");
  const [tried, setTried] = useState(false);
  const any = words
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);
  const nameError = !name.trim()
    ? "Give it a name."
    : taken.includes(name.trim())
      ? "There is one of this name."
      : undefined;
  const wordsError = any.length === 0 ? "Name at least one word." : undefined;
  return (
    <form
      className="column-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (nameError || wordsError) return;
        const criteria = `${results[type]} (${any.join(", ")})`;
        onAdd({ name: name.trim(), criteria, type, match: { field, any } });
        close();
      }}
    >
      <Field label="Name" error={tried ? nameError : undefined}>
        {(props) => <input {...props} className="input" value={name} onChange={(e) => setName(e.target.value)} />}
      </Field>
      <Field label="Value" hint={results[type]}>
        {(props) => (
          <select {...props} className="input" value={type} onChange={(e) => setType(e.target.value as FieldType)}>
            {Object.entries(fieldTypes).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Look in">
        {(props) => (
          <select {...props} className="input" value={field} onChange={(e) => setField(e.target.value)}>
            {fields[target].map((each) => (
              <option key={each} value={each}>
                {each === "any" ? "everywhere" : each}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Words" hint="With commas between them" error={tried ? wordsError : undefined}>
        {(props) => <input {...props} className="input" value={words} onChange={(e) => setWords(e.target.value)} />}
      </Field>
      <button type="submit" className="button button-primary">
        Add column
      </button>
    </form>
  );
}
