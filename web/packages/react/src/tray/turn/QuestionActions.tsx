import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { useAssistantContext } from "../../context.js";
import { useLabels } from "../../labels/useLabels.js";
import { Button, IconButton } from "../../ui/Button.js";
import { PencilIcon } from "../../ui/icons.js";
import { BranchPicker } from "./BranchPicker.js";

interface QuestionActionsProps {
  /** The user comes back from editing: the focus returns to the button. */
  back: boolean;
  onEdit: () => void;
}

/** Beside a question: edit it. */
export function QuestionActions({ back, onEdit }: QuestionActionsProps) {
  const labels = useLabels();
  const edit = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (back) edit.current?.focus({ preventScroll: true });
  }, [back]);
  return (
    <IconButton isSmall ref={edit} label={labels.editMessage} onClick={onEdit}>
      <PencilIcon />
    </IconButton>
  );
}

/** Under a question that was edited: the versions of it. */
export const QuestionVersions = ({ messageId }: { messageId: string }) => (
  <BranchPicker messageId={messageId} of="question" />
);

/** Edits a question where it stands. */
export function QuestionEditor({ messageId, text, onLeave }: { messageId: string; text: string; onLeave: () => void }) {
  const { client } = useAssistantContext("QuestionEditor");
  const labels = useLabels();
  const area = useRef<HTMLTextAreaElement>(null);
  const [draft, setDraft] = useState(text);
  useEffect(() => {
    area.current?.focus();
    area.current?.setSelectionRange(text.length, text.length);
  }, [text]);

  const send = () => {
    if (!draft.trim()) return;
    // The editor goes, and its message with it: the focus stays in the conversation.
    area.current?.closest<HTMLElement>("[role=log]")?.focus({ preventScroll: true });
    onLeave();
    void client.edit(messageId, draft.trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key !== "Escape" && (event.key !== "Enter" || event.shiftKey)) return;
    event.preventDefault();
    if (event.key === "Enter") send();
    else onLeave();
  };
  return (
    <div className="ps-question-editor">
      <textarea
        ref={area}
        className="ps-text-field"
        aria-label={labels.editMessage}
        dir="auto"
        rows={Math.min(8, Math.max(2, Math.ceil(draft.length / 40)))}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="ps-card-footer">
        <Button look="ghost" onClick={onLeave}>
          {labels.cancel}
        </Button>
        <Button look="primary" aria-disabled={!draft.trim() || undefined} onClick={send}>
          {labels.send}
        </Button>
      </div>
    </div>
  );
}
