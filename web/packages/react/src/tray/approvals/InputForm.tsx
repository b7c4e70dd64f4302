import type { Answer } from "@pageside/core";
import { useState, type FormEvent } from "react";
import { useLabels } from "../../labels/useLabels.js";
import { useInputs } from "./Inputs.js";
import { fieldsOf } from "./fields.js";

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
  const isYesOrNo = only?.kind === "boolean" && fields.length === 1;

  const skip = (
    <button type="button" className="ps-button ps-ghost ps-first" onClick={() => onAnswer()}>
      {labels.skip}
    </button>
  );
  if (isYesOrNo) {
    return (
      <div className="ps-card-footer">
        {skip}
        <button type="button" className="ps-button" onClick={() => onAnswer({ [only.name]: false })}>
          {labels.no}
        </button>
        <button
          type="button"
          className="ps-button ps-primary"
          data-focus
          onClick={() => onAnswer({ [only.name]: true })}
        >
          {labels.yes}
        </button>
      </div>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const values = read();
    if (values) onAnswer(values);
  };
  return (
    <form className="ps-interrupt-form" noValidate onSubmit={submit}>
      {inputs}
      <div className="ps-card-footer">
        {skip}
        <button type="submit" className="ps-button ps-primary" data-focus>
          {labels.answerIt}
        </button>
      </div>
    </form>
  );
}
