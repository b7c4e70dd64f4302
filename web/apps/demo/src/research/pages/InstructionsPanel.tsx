import { useState } from "react";
import { streamInstructions } from "../api.ts";
import { useLoad } from "../state/use-load.ts";
import { messageOf } from "../ui/text.ts";

/**
 * What the assistant is told whenever it works on this stream. Kept by the server, for everybody.
 */
export function InstructionsPanel({ streamId }: { streamId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="panel form fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>Assistant instructions</h2>
        <span className="muted">What it is told in this stream</span>
      </summary>
      {open && <Instructions streamId={streamId} />}
    </details>
  );
}

function Instructions({ streamId }: { streamId: string }) {
  const { data, error, reload } = useLoad(streamId, (signal) => streamInstructions.read(streamId, signal));
  if (error)
    return (
      <p className="form-note" data-bad role="alert">
        {error.message}{" "}
        <button type="button" className="quiet-link" onClick={reload}>
          Try again
        </button>
      </p>
    );
  if (data === undefined) return <p className="form-note">Loading…</p>;
  return <InstructionsForm streamId={streamId} stored={data} />;
}

function InstructionsForm({ streamId, stored }: { streamId: string; stored: string }) {
  const [kept, setKept] = useState(stored);
  const [text, setText] = useState(stored);
  const [note, setNote] = useState<{ text: string; bad?: boolean }>();
  const save = async () => {
    try {
      await streamInstructions.write(streamId, text);
      setKept(text);
      setNote({ text: "Saved. The assistant is told with the next question." });
    } catch (error) {
      setNote({ text: messageOf(error), bad: true });
    }
  };
  return (
    <form
      className="stack-small"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <textarea
        className="input area"
        rows={5}
        aria-label="Instructions for the assistant"
        placeholder="Focus on trial methodology and patient outcomes. Note any biomarker that is mentioned."
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setNote(undefined);
        }}
      />
      <div className="form-actions">
        <span className="form-note" role="status" data-bad={note?.bad || undefined}>
          {note?.text}
        </span>
        <button type="submit" className="button" disabled={text === kept}>
          Save instructions
        </button>
      </div>
    </form>
  );
}
