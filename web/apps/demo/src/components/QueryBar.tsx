import { useId, useMemo, useRef, type KeyboardEvent } from "react";
import { useDiscover } from "../app/discover-context.ts";
import { markRange, textRange, tokenize } from "../ppl/tokens.ts";
import { Icon } from "./Icon.tsx";
import { QueryHelp } from "./QueryHelp.tsx";
import { TimePicker } from "./TimePicker.tsx";
import { useFlash } from "./useFlash.ts";
import "./query-bar.css";

/** The query, its time range, and the button that runs it. */
export function QueryBar() {
  const { snapshot, dispatch, model } = useDiscover();
  const { draft, view, results } = snapshot;
  const errorId = useId();
  const input = useRef<HTMLTextAreaElement>(null);
  const error = results.status === "error" && draft === view.query ? results.error : null;

  const run = () => {
    const before = model.getSnapshot().view;
    dispatch({ type: "run", query: draft });
    if (model.getSnapshot().view === before) model.refresh();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    run();
  };

  return (
    <div className="query">
      <div className="query-row">
        <div className="query-box" data-invalid={error?.place ? "" : undefined} {...useFlash("query")}>
          <span className="query-language">PPL</span>
          <div className="query-editor">
            <Highlighted text={draft} place={error?.place} />
            <textarea
              ref={input}
              className="query-input"
              aria-label="PPL query"
              aria-invalid={error?.place ? true : undefined}
              aria-describedby={error?.place ? errorId : undefined}
              value={draft}
              rows={1}
              spellCheck={false}
              autoCapitalize="off"
              autoComplete="off"
              enterKeyHint="go"
              onChange={(event) => dispatch({ type: "edit-draft", draft: event.target.value })}
              onKeyDown={onKeyDown}
            />
          </div>
          <QueryHelp
            onPick={(query) => {
              dispatch({ type: "run", query });
              input.current?.focus();
            }}
          />
        </div>
        <div className="query-actions">
          <TimePicker />
          <button type="button" className="button button-primary query-run" onClick={run} title="Run (Enter)">
            <Icon name="play" size={14} />
            Run
          </button>
        </div>
      </div>
      {error?.place && (
        <p className="query-error" id={errorId} role="alert">
          <Icon name="alert" size={14} />
          <span>
            <strong>
              Line {error.place.line}, column {error.place.column}:
            </strong>{" "}
            {error.message}
          </span>
        </p>
      )}
    </div>
  );
}

interface HighlightedProps {
  text: string;
  place: { line: number; column: number; length: number } | undefined;
}

/** The query in colours, behind the transparent text of the input. Its height is what makes the input grow. */
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
