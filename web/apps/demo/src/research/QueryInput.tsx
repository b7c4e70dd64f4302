import { useId } from "react";
import { HttpError } from "../shell/http.ts";

interface QueryInputProps {
  value: string;
  onChange(value: string): void;
  onRun?(): void;
  error?: Error;
  /** Changes when the assistant changed the text: it draws the eye. */
  flash?: "a" | "b";
}

/**
 * A search in PubMed's syntax. What the server says is wrong with it is written below, with the
 * position.
 */
export function QueryInput({ value, onChange, onRun, error, flash }: QueryInputProps) {
  const id = useId();
  return (
    <div className="pubmed">
      <textarea
        className="input pubmed-input"
        data-flash={flash}
        rows={1}
        spellCheck={false}
        autoCapitalize="off"
        aria-label="PubMed query"
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? id : undefined}
        placeholder='venetoclax[tiab] AND "Leukemia, Myeloid, Acute"[mh]'
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || !onRun) return;
          event.preventDefault();
          onRun();
        }}
      />
      {error && (
        <div id={id} className="bad" role="alert">
          {error instanceof HttpError && error.details.position !== undefined ? (
            <>
              <strong>Character {error.details.position + 1}: </strong>
              {error.message}
              <Excerpt text={value} from={error.details.position} length={error.details.length ?? 0} />
            </>
          ) : (
            error.message
          )}
        </div>
      )}
    </div>
  );
}

const around = 24;

/** The text around the mistake, with the mistake marked. */
function Excerpt({ text, from, length }: { text: string; from: number; length: number }) {
  const points = [...text];
  const end = from + length;
  const part = (start: number, stop: number) => points.slice(Math.max(0, start), stop).join("");
  return (
    <code className="pubmed-excerpt">
      {from > around && "…"}
      {part(from - around, from)}
      <mark>{part(from, end) || "⌴"}</mark>
      {part(end, end + around)}
      {end + around < points.length && "…"}
    </code>
  );
}
