import type { Answer } from "@pageside/core";
import { useState, type FormEvent } from "react";
import { useLabels } from "../../labels/useLabels.js";
import { Button } from "../../ui/Button.js";
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
    <Button look="ghost" onClick={() => onAnswer()}>
      {labels.skip}
    </Button>
  );
  if (isYesOrNo) {
    return (
      <div className="ps-card-footer ps-decision">
        <Button look="primary" isNext onClick={() => onAnswer({ [only.name]: true })}>
          {labels.yes}
        </Button>
        <Button onClick={() => onAnswer({ [only.name]: false })}>{labels.no}</Button>
        {skip}
      </div>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const values = read();
    if (values) onAnswer(values);
  };
  return (
    <form className="ps-interrupt-form ps-stack" noValidate onSubmit={submit}>
      {inputs}
      <div className="ps-card-footer ps-decision">
        <Button type="submit" look="primary" isNext>
          {labels.answerIt}
        </Button>
        {skip}
      </div>
    </form>
  );
}
