import { useId, type ComponentProps, type ElementType } from "react";

interface FieldProps {
  label: string;
  hint?: string;
  error?: string;
}

type AnyField = FieldProps & { as?: ElementType; className?: string };

/** A labelled input; `as` makes it a select or a text area. */
export function Field<Kind extends "input" | "select" | "textarea" = "input">(
  props: FieldProps & { as?: Kind } & Omit<ComponentProps<Kind>, "as">,
) {
  const { as: Control = "input", label, hint, error, className = "", ...rest } = props as AnyField;
  const id = useId();
  const note = error ?? hint;
  return (
    <div className="form-field">
      <label htmlFor={id}>{label}</label>
      <Control
        id={id}
        className={`input ${className}`}
        aria-invalid={error ? true : undefined}
        aria-describedby={note ? `${id}-note` : undefined}
        {...rest}
      />
      {note && (
        <p id={`${id}-note`} className="form-note" data-bad={error ? "" : undefined}>
          {note}
        </p>
      )}
    </div>
  );
}
