import { useId, type ReactNode } from "react";

interface FieldProps {
  label: string;
  hint?: string;
  error?: string;
  wide?: boolean;
  children(props: { id: string; "aria-invalid"?: true; "aria-describedby"?: string }): ReactNode;
}

/** A labelled control, with what is wrong with it. */
export function Field({ label, hint, error, wide, children }: FieldProps) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className="form-field" data-wide={wide || undefined}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        ...(error && { "aria-invalid": true }),
        ...(note && { "aria-describedby": `${id}-note` }),
      })}
      {note && (
        <p id={`${id}-note`} className="form-note" data-bad={error ? "" : undefined}>
          {note}
        </p>
      )}
    </div>
  );
}
