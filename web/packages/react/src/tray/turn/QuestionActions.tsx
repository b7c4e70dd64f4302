import type { PagesideClient } from "@pageside/core";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { useAssistantContext } from "../../context.js";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { useMessageLabels } from "../../labels/messages.js";
import { useLabels } from "../../labels/useLabels.js";
import { AlertIcon, ChevronIcon, PencilIcon } from "../../ui/icons.js";

interface QuestionActionsProps {
  messageId: string;
  /** The user comes back from editing: the focus returns to the button. */
  back: boolean;
  onEdit: () => void;
}

/** Under a question: edit it, and step through the branches that begin with it. */
export function QuestionActions({ messageId, back, onEdit }: QuestionActionsProps) {
  const labels = useLabels();
  const edit = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (back) edit.current?.focus({ preventScroll: true });
  }, [back]);
  return (
    <>
      <BranchPicker messageId={messageId} />
      <button
        ref={edit}
        type="button"
        className="ps-icon-button ps-small"
        aria-label={labels.editMessage}
        title={labels.editMessage}
        onClick={onEdit}
      >
        <PencilIcon />
      </button>
    </>
  );
}

/** A step of the branch picker to another branch. */
interface Step {
  runId: string;
  by: -1 | 1;
}

const LAST_STEP = Symbol("last step of a branch picker");

/** The step that was just taken. The picker that then replaces the old one takes the focus. */
const lastStepOf = (client: PagesideClient) => client.extension<{ step?: Step }>(LAST_STEP, () => ({}));

function BranchPicker({ messageId }: { messageId: string }) {
  const { client } = useAssistantContext("BranchPicker");
  const labels = useLabels();
  const picker = useRef<HTMLSpanElement>(null);
  const branches = useAssistantSnapshot((thread) => thread.branches?.[messageId]);
  const at = branches?.findIndex(({ current }) => current) ?? -1;
  const current = branches?.[at]?.runId;
  useEffect(() => {
    const last = lastStepOf(client);
    if (last.step?.runId !== current) return;
    if (last.step) picker.current?.querySelectorAll("button")[last.step.by < 0 ? 0 : 1]?.focus({ preventScroll: true });
    last.step = undefined;
  }, [client, current]);
  if (!branches || branches.length < 2 || at < 0) return null;
  const step = (by: -1 | 1, name: string) => {
    const to = branches[at + by];
    return (
      <button
        type="button"
        className="ps-icon-button ps-small"
        data-back={by < 0 || undefined}
        aria-label={name}
        title={name}
        aria-disabled={!to || undefined}
        onClick={() => {
          if (!to) return;
          lastStepOf(client).step = { runId: to.runId, by };
          void client.switchTo(to.runId);
        }}
      >
        <ChevronIcon />
      </button>
    );
  };
  return (
    <span ref={picker} className="ps-branches" role="group" aria-label={labels.branches}>
      {step(-1, labels.previousBranch)}
      <span className="ps-small-text">{labels.branchOf(at + 1, branches.length)}</span>
      {step(1, labels.nextBranch)}
    </span>
  );
}

/** Under a question that did not reach the server. */
export function Unsent() {
  const { client } = useAssistantContext("Unsent");
  const labels = useMessageLabels();
  return (
    <p className="ps-unsent">
      <AlertIcon />
      {labels.messageNotSent}
      <button type="button" className="ps-button ps-ghost" onClick={() => void client.retry()}>
        {labels.retry}
      </button>
    </p>
  );
}

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
        <button type="button" className="ps-button ps-ghost" onClick={onLeave}>
          {labels.cancel}
        </button>
        <button
          type="button"
          className="ps-button ps-primary"
          aria-disabled={!draft.trim() || undefined}
          onClick={send}
        >
          {labels.send}
        </button>
      </div>
    </div>
  );
}
