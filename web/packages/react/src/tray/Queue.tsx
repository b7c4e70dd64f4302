import type { QueuedMessage, ThreadSnapshot } from "@pageside/core";
import { useRef, useState, type KeyboardEvent } from "react";
import { useAssistantContext } from "../context.js";
import { CloseIcon, PencilIcon } from "./icons.js";
import { useLabels } from "./labels.js";

export interface QueueProps extends Pick<ThreadSnapshot, "queue" | "queueHeld"> {
  /** Puts the focus into the composer, when the message that had it is gone. */
  onLeave: () => void;
}

/** Messages that wait for the end of the answer, above the composer. */
export function Queue({ queue, queueHeld, onLeave }: QueueProps) {
  const { client } = useAssistantContext("Queue");
  const labels = useLabels();
  return (
    <div className="ps-queue" role="group" aria-label={labels.queue}>
      <div className="ps-queue-head">
        <p className="ps-muted ps-small-text">{queueHeld ? labels.queueHeld : labels.queueHint}</p>
        {queueHeld && (
          <button
            type="button"
            className="ps-button"
            onClick={() => {
              onLeave();
              void client.sendQueue();
            }}
          >
            {labels.sendNow}
          </button>
        )}
      </div>
      <ul>
        {queue.map((message) => (
          <Queued key={message.id} message={message} onLeave={onLeave} />
        ))}
      </ul>
    </div>
  );
}

function Queued({ message: { id, text }, onLeave }: { message: QueuedMessage; onLeave: () => void }) {
  const { client } = useAssistantContext("Queue");
  const labels = useLabels();
  const [draft, setDraft] = useState<string>();
  const edit = useRef<HTMLButtonElement>(null);

  const leave = (save: boolean) => {
    if (draft === undefined) return;
    if (save && draft.trim() && draft !== text) void client.editQueued(id, draft.trim());
    setDraft(undefined);
    setTimeout(() => edit.current?.focus());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || (event.key !== "Escape" && (event.key !== "Enter" || event.shiftKey))) return;
    event.preventDefault();
    event.stopPropagation();
    leave(event.key === "Enter");
  };

  if (draft !== undefined) {
    return (
      <li>
        <textarea
          className="ps-text-field"
          aria-label={labels.editMessage}
          dir="auto"
          rows={2}
          autoFocus
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={onKeyDown}
          onBlur={() => leave(true)}
        />
      </li>
    );
  }
  return (
    <li>
      <span className="ps-queued-text" dir="auto">
        {text}
      </span>
      <button
        ref={edit}
        type="button"
        className="ps-icon-button ps-small"
        aria-label={`${labels.editMessage}: ${text}`}
        title={labels.editMessage}
        onClick={() => setDraft(text)}
      >
        <PencilIcon />
      </button>
      <button
        type="button"
        className="ps-icon-button ps-small"
        aria-label={`${labels.remove}: ${text}`}
        title={labels.remove}
        onClick={() => {
          onLeave();
          void client.removeQueued(id);
        }}
      >
        <CloseIcon />
      </button>
    </li>
  );
}
