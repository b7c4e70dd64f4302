import type { Answer, Json } from "@pageside/core";
import { useId, useState, type FormEvent, type ReactNode } from "react";
import { useLabels } from "../../labels/useLabels.js";
import { Button } from "../../ui/Button.js";
import { Revealed } from "../../ui/Revealed.js";
import { fieldsOf, readDraft, toDraft, type Draft, type Field, type FieldProblem } from "./fields.js";

interface InputFormProps {
  /** The schema of the answer. */
  schema: unknown;
  /** The user has answered, or without an answer does not want to. */
  onAnswer: (answer?: Answer) => void;
}

/**
 * Answers a question by the schema of its answer: a choice, several, yes or no, a text, or a form
 * of these.
 */
export function InputForm({ schema, onAnswer }: InputFormProps) {
  const labels = useLabels();
  const [fields] = useState(() => fieldsOf(schema));
  const named = fields.map((field) => (field.name === "answer" ? { ...field, label: labels.yourAnswer } : field));
  const { inputs, read } = useInputs(named, {});
  const [only] = fields;
  const yesOrNo = only?.kind === "boolean" && fields.length === 1 ? only.name : undefined;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const values = yesOrNo === undefined ? read() : { [yesOrNo]: true };
    if (values) onAnswer(values);
  };
  return (
    <form className="ps-interrupt-form ps-stack" noValidate onSubmit={submit}>
      {yesOrNo === undefined && inputs}
      <div className="ps-card-footer ps-decision">
        <Button type="submit" look="primary" isNext>
          {yesOrNo === undefined ? labels.answerIt : labels.yesOrNo(true)}
        </Button>
        {yesOrNo !== undefined && (
          <Button onClick={() => onAnswer({ [yesOrNo]: false })}>{labels.yesOrNo(false)}</Button>
        )}
        <Button look="ghost" onClick={() => onAnswer()}>
          {labels.skip}
        </Button>
      </div>
    </form>
  );
}

/** The inputs of a form, what they hold, and what is wrong with it. They begin with `initial`. */
export function useInputs(fields: readonly Field[], initial: Record<string, unknown>) {
  const [draft, setDraft] = useState(() => toDraft(fields, initial));
  const [problems, setProblems] = useState<Record<string, FieldProblem>>({});

  /** The values, or undefined if some are invalid: the inputs then say why. */
  const read = (): Record<string, Json> | undefined => {
    const result = readDraft(fields, draft);
    setProblems(result.problems);
    return Object.keys(result.problems).length === 0 ? result.values : undefined;
  };
  /** Begins anew. */
  const reset = () => {
    setDraft(toDraft(fields, initial));
    setProblems({});
  };
  const inputs = fields.map((field) => (
    <FieldInput
      key={field.name}
      field={field}
      value={draft[field.name] ?? ""}
      problem={problems[field.name]}
      onChange={(value) => setDraft({ ...draft, [field.name]: value })}
    />
  ));
  return { inputs, read, reset };
}

interface FieldInputProps {
  field: Field;
  value: Draft[string];
  problem?: FieldProblem;
  onChange: (value: Draft[string]) => void;
}

/** A field with its name, and what is wrong with it. */
function FieldInput({ field, value, problem, onChange }: FieldInputProps) {
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
      <fieldset className="ps-field ps-stack ps-tight" {...wired}>
        <legend className="ps-muted ps-text-sm">{field.label}</legend>
        <Options field={field} value={value} name={id} onChange={onChange} />
        {issue}
      </fieldset>
    );
  }
  if (field.kind === "boolean") {
    return (
      <Choice isChosen={value === true} onChange={onChange}>
        {field.label}
      </Choice>
    );
  }
  const text = String(value);
  return (
    <div className="ps-field ps-stack ps-tight">
      <label className="ps-muted ps-text-sm" htmlFor={id}>
        {field.label}
      </label>
      <textarea
        id={id}
        className={field.kind === "json" ? "ps-text-field ps-mono" : "ps-text-field"}
        dir="auto"
        inputMode={field.kind === "number" || field.kind === "integer" ? "decimal" : undefined}
        rows={Math.min(8, Math.max(1, text.split("\n").length, Math.ceil(text.length / 44)))}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        {...wired}
      />
      {issue}
    </div>
  );
}

type OptionsProps = Pick<FieldInputProps, "field" | "value" | "onChange"> & { name: string };

function Options({ field: { kind, options = [] }, value, name, onChange }: OptionsProps) {
  const many = kind === "many";
  const chosen = Array.isArray(value) ? value : [value];
  const change = (option: string, on: boolean) =>
    onChange(many ? options.filter((each) => (each === option ? on : chosen.includes(each))) : option);
  return options.map((option) => (
    <Choice
      key={option}
      type={many ? "checkbox" : "radio"}
      name={name}
      isChosen={chosen.includes(option)}
      onChange={(on) => change(option, on)}
    >
      <Revealed text={option} />
    </Choice>
  ));
}

interface ChoiceProps {
  type?: "checkbox" | "radio";
  /** Of several, one of which is chosen. */
  name?: string;
  isChosen: boolean;
  onChange: (isChosen: boolean) => void;
  /** What is chosen. */
  children: ReactNode;
}

/** Something to choose, or not. */
export const Choice = ({ type = "checkbox", name, isChosen, onChange, children }: ChoiceProps) => (
  <label className="ps-choice">
    <input type={type} name={name} checked={isChosen} onChange={({ target }) => onChange(target.checked)} />
    <span dir="auto">{children}</span>
  </label>
);
