import { useId, useMemo, useRef, type KeyboardEvent, type RefObject } from "react";
import type { QueryErrorPlace } from "../api/client.ts";
import { useDiscover } from "../app/discover-context.ts";
import { markRange, textRange, tokenize } from "../ppl/tokens.ts";
import { Icon } from "./Icon.tsx";
import { QueryHelp } from "./QueryHelp.tsx";
import { SourceMenu } from "./SourceMenu.tsx";
import { TimePicker } from "./TimePicker.tsx";
import { useFlash } from "./useFlash.ts";
import "./query-bar.css";

/** The query, its time range, and the button that runs it. */
export function QueryBar() {
  const { snapshot, dispatch, model } = useDiscover();
  const { draft, view, results } = snapshot;
  const errorId = useId();
  const input = useRef<HTMLTextAreaElement>(null);
  const flash = useFlash("query");
  const error = results.status === "error" && draft === view.query ? results.error : null;

  const run = () => {
    const before = model.getSnapshot().view;
    dispatch({ type: "run", query: draft });
    if (model.getSnapshot().view === before) model.refresh();
  };
  const pick = (query: string) => {
    dispatch({ type: "run", query });
    input.current?.focus();
  };

  return (
    <div className="query">
      <div className="query-row">
        <SourceMenu />
        <div className="query-box" data-invalid={error?.place ? "" : undefined} {...flash}>
          <span className="query-language">PPL</span>
          <QueryInput ref={input} value={draft} place={error?.place} errorId={errorId} onRun={run} />
          <QueryHelp onPick={pick} />
        </div>
        <div className="query-actions">
          <TimePicker />
          <button type="button" className="button button-primary query-run" onClick={run} title="Run (Enter)">
            <Icon name="play" size={14} />
            Run
          </button>
        </div>
      </div>
      {error?.place && <QueryError id={errorId} place={error.place} message={error.message} />}
    </div>
  );
}

interface QueryInputProps {
  ref: RefObject<HTMLTextAreaElement | null>;
  value: string;
  place: QueryErrorPlace | undefined;
  errorId: string;
  onRun(): void;
}

/** Enter runs the query, Shift+Enter makes a new line. */
function QueryInput({ ref, value, place, errorId, onRun }: QueryInputProps) {
  const { dispatch } = useDiscover();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onRun();
  };
  return (
    <div className="query-editor">
      <Highlighted text={value} place={place} />
      <textarea
        ref={ref}
        className="query-input"
        aria-label="PPL query"
        aria-invalid={place ? true : undefined}
        aria-describedby={place ? errorId : undefined}
        value={value}
        rows={1}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        enterKeyHint="go"
        onChange={(event) => dispatch({ type: "edit-draft", draft: event.target.value })}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}

function QueryError({ id, place, message }: { id: string; place: QueryErrorPlace; message: string }) {
  return (
    <p className="query-error" id={id} role="alert">
      <Icon name="alert" size={14} />
      <span>
        <strong>
          Line {place.line}, column {place.column}:
        </strong>{" "}
        {message}
      </span>
    </p>
  );
}

interface HighlightedProps {
  text: string;
  place: QueryErrorPlace | undefined;
}

/**
 * The query in colours, behind the transparent text of the input. Its height is what makes the
 * input grow.
 */
function Highlighted({ text, place }: HighlightedProps) {
  const pieces = useMemo(() => markRange(tokenize(text), place ? textRange(text, place) : null), [text, place]);
  return (
    <pre className="query-colours" aria-hidden="true">
      {pieces.map((piece, index) => (
        <span key={index} data-kind={piece.kind} className={piece.wrong ? "query-wrong" : undefined}>
          {piece.text}
        </span>
      ))}
      {"\u200b"}
    </pre>
  );
}
