import { useId, useLayoutEffect, useRef } from "react";
import { HttpError } from "../../shell/http.ts";

interface QueryInputProps {
  value: string;
  onChange(value: string): void;
  onRun?(): void;
  error?: Error;
  label?: string;
  /** Changes when the assistant changed the text: it draws the eye. */
  flash?: "a" | "b";
}

/**
 * A search in PubMed's syntax. What the server says is wrong with it stands below, with the place.
 */
export function QueryInput({ value, onChange, onRun, error, label = "PubMed query", flash }: QueryInputProps) {
  const id = useId();
  const input = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const area = input.current!;
    area.style.height = "0";
    area.style.height = `${Math.min(area.scrollHeight + 2, 180)}px`;
  }, [value]);
  const place = placeOf(error);
  return (
    <div className="pubmed">
      <textarea
        ref={input}
        className="pubmed-input"
        data-flash={flash}
        rows={1}
        spellCheck={false}
        autoCapitalize="off"
        aria-label={label}
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
        <div id={id} className="pubmed-error" role="alert">
          <p>
            {place && <strong>Character {place.position + 1}: </strong>}
            {error.message}
          </p>
          {place && <Excerpt text={value} {...place} />}
        </div>
      )}
    </div>
  );
}

interface Place {
  position: number;
  length: number;
}

/** The text around the mistake, with the mistake marked. */
function Excerpt({ text, position, length }: Place & { text: string }) {
  const points = [...text];
  const from = Math.max(0, position - 24);
  const end = position + length;
  const part = (start: number, stop: number) => points.slice(start, stop).join("");
  return (
    <code className="pubmed-excerpt">
      {from > 0 && "…"}
      {part(from, position)}
      <mark>{part(position, end) || "⌴"}</mark>
      {part(end, end + 24)}
      {end + 24 < points.length && "…"}
    </code>
  );
}

function placeOf(error: Error | undefined): Place | undefined {
  if (!(error instanceof HttpError) || error.code !== "pubmed_error") return undefined;
  const { position, length } = error.details;
  return typeof position === "number" ? { position, length: typeof length === "number" ? length : 0 } : undefined;
}
