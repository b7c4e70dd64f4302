import { useId } from "react";
import { useLabels } from "../../labels/useLabels.js";
import { Revealed } from "../../ui/Revealed.js";
import type { Draft, Field, FieldProblem } from "./fields.js";

interface FieldInputProps {
  field: Field;
  value: Draft[string];
  problem?: FieldProblem;
  onChange: (value: Draft[string]) => void;
}

/** A field with its name, and what is wrong with it. */
export function FieldInput({ field, value, problem, onChange }: FieldInputProps) {
  const labels = useLabels();
  const id = useId();
  const issue = problem && (
    <p className="ps-card-error" id={`${id}-problem`}>
      {labels.fieldProblem(problem)}
    </p>
  );
  const wired = { "aria-invalid": problem && true, "aria-describedby": problem && `${id}-problem` };
  if (field.kind === "one" || field.kind === "many") {
    return (
      <fieldset className="ps-field" {...wired}>
        <legend>{field.label}</legend>
        <Options field={field} value={value} name={id} onChange={onChange} />
        {issue}
      </fieldset>
    );
  }
  if (field.kind === "boolean") {
    return (
      <label className="ps-choice">
        <input type="checkbox" checked={value === true} onChange={(event) => onChange(event.target.checked)} />
        <span>{field.label}</span>
      </label>
    );
  }
  const text = String(value);
  return (
    <div className="ps-field">
      <label htmlFor={id}>{field.label}</label>
      <textarea
        id={id}
        className={field.kind === "json" ? "ps-text-field ps-mono" : "ps-text-field"}
        dir="auto"
        inputMode={field.kind === "number" ? "decimal" : undefined}
        rows={Math.min(8, Math.max(1, text.split("\n").length, Math.ceil(text.length / 44)))}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        {...wired}
      />
      {issue}
    </div>
  );
}

function Options({
  field,
  value,
  name,
  onChange,
}: Pick<FieldInputProps, "field" | "value" | "onChange"> & { name: string }) {
  const many = field.kind === "many";
  const chosen = Array.isArray(value) ? value : [value];
  const change = (option: string, on: boolean) => {
    if (!many) onChange(option);
    else onChange(field.options.filter((each) => (each === option ? on : chosen.includes(each))));
  };
  return field.options.map((option) => (
    <label key={option} className="ps-choice">
      <input
        type={many ? "checkbox" : "radio"}
        name={name}
        checked={chosen.includes(option)}
        onChange={(event) => change(option, event.target.checked)}
      />
      <span dir="auto">
        <Revealed text={option} />
      </span>
    </label>
  ));
}
