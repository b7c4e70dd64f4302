import { useId, type KeyboardEvent } from "react";
import type { HttpError } from "../shell/http.ts";

interface QueryInputProps {
  label: string;
  value: string;
  placeholder?: string;
  onChange(value: string): void;
  /** Enter runs the query, Shift+Enter makes a new line. */
  onRun?(): void;
  /** What is wrong with the query, with the position. */
  error: HttpError | undefined;
}

/** A query input, with the server's error message below. */
export function QueryInput({ label, value, placeholder, onChange, onRun, error }: QueryInputProps) {
  const id = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing || !onRun) return;
    event.preventDefault();
    onRun();
  };
  return (
    <div>
      <textarea
        className="input query-input"
        rows={1}
        spellCheck={false}
        autoCapitalize="off"
        aria-label={label}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? id : undefined}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {error && (
        <p id={id} className="bad" role="alert">
          {error.message}
          <Excerpt text={value} error={error} />
        </p>
      )}
    </div>
  );
}

const around = 24;

/** The position of the mistake, and the text around it with the mistake marked. */
function Excerpt({ text, error }: { text: string; error: HttpError }) {
  const { line, column, position, length = 0 } = error.details;
  const at = position ?? (column ?? 0) - 1;
  if (at < 0) return null;
  const points = [...(text.split("\n")[(line ?? 1) - 1] ?? text)];
  const part = (from: number, to: number) => points.slice(Math.max(0, from), to).join("");
  const end = at + length;
  return (
    <>
      <strong> {line ? `Line ${line}, column ${column}` : `Character ${at + 1}`}: </strong>
      <code>
        {at > around && "…"}
        {part(at - around, at)}
        <mark>{part(at, end) || "⌴"}</mark>
        {part(end, end + around)}
        {end + around < points.length && "…"}
      </code>
    </>
  );
}
