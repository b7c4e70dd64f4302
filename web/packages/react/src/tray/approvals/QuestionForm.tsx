import { useState, type FormEvent } from "react";
import { useLabels } from "../../labels/useLabels.js";
import { Dismissal, type InterruptFormProps } from "./ApprovalForm.js";
import { FieldInput } from "./FieldInput.js";
import { fieldsOf, readDraft, toDraft, type FieldProblem } from "./fields.js";

/**
 * Answers a question by the schema of its answer: a choice, several, yes or no, a text, or a form
 * of these.
 */
export function QuestionForm({ schema, expired, onRespond, onCancel }: InterruptFormProps) {
  const labels = useLabels();
  const fields = fieldsOf(schema).map((field) =>
    field.name === "answer" ? { ...field, label: labels.yourAnswer } : field,
  );
  const [draft, setDraft] = useState(() => toDraft(fields));
  const [problems, setProblems] = useState<Record<string, FieldProblem>>({});
  const [only] = fields;

  if (expired) return <Dismissal onCancel={onCancel} />;
  const skip = (
    <button type="button" className="ps-button ps-ghost ps-first" onClick={onCancel}>
      {labels.skip}
    </button>
  );
  if (only?.kind === "boolean" && fields.length === 1) {
    return (
      <div className="ps-card-footer">
        {skip}
        <button type="button" className="ps-button" onClick={() => onRespond({ [only.name]: false })}>
          {labels.no}
        </button>
        <button
          type="button"
          className="ps-button ps-primary"
          data-focus
          onClick={() => onRespond({ [only.name]: true })}
        >
          {labels.yes}
        </button>
      </div>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readDraft(fields, draft);
    setProblems(read.problems);
    if (Object.keys(read.problems).length === 0) onRespond(read.values);
  };
  return (
    <form className="ps-interrupt-form" noValidate onSubmit={submit}>
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={draft[field.name] ?? ""}
          problem={problems[field.name]}
          onChange={(value) => setDraft({ ...draft, [field.name]: value })}
        />
      ))}
      <div className="ps-card-footer">
        {skip}
        <button type="submit" className="ps-button ps-primary" data-focus>
          {labels.answerIt}
        </button>
      </div>
    </form>
  );
}
