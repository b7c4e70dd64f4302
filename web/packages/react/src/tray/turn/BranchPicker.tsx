import type { Branch, PagesideClient } from "@pageside/core";
import { useEffect, useRef } from "react";
import { useAssistantContext } from "../../context.js";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { useLabels } from "../../labels/useLabels.js";
import { IconButton } from "../../ui/Button.js";
import { ChevronIcon } from "../../ui/icons.js";

interface BranchPickerProps {
  /** The question at which the branches begin. */
  messageId: string;
  /** Whose versions: an edited question's, or those of an answer that was asked for again. */
  of: "question" | "answer";
}

/** A step of a branch picker to another branch. */
interface Step extends Pick<BranchPickerProps, "of"> {
  runId: string;
  by: -1 | 1;
}

const LAST_STEP = Symbol("last step of a branch picker");

/** The step that was just taken. The picker that then replaces the old one takes the focus. */
const lastStepOf = (client: PagesideClient) => client.extension<{ step?: Step }>(LAST_STEP, () => ({}));

/** Steps through the versions of a question or of an answer. Draws nothing where there is one. */
export function BranchPicker({ messageId, of }: BranchPickerProps) {
  const { client } = useAssistantContext("BranchPicker");
  const labels = useLabels();
  const picker = useRef<HTMLSpanElement>(null);
  const all = useAssistantSnapshot((thread) => thread.branches?.[messageId]);
  const versions = versionsOf(all ?? [], of);
  const at = versions.findIndex(({ current }) => current);
  const current = versions[at]?.runId;
  useEffect(() => {
    const last = lastStepOf(client);
    if (last.step?.runId !== current || last.step?.of !== of) return;
    if (last.step) picker.current?.querySelectorAll("button")[last.step.by < 0 ? 0 : 1]?.focus({ preventScroll: true });
    last.step = undefined;
  }, [client, current, of]);
  if (versions.length < 2 || at < 0) return null;
  const step = (by: -1 | 1) => {
    const to = versions[at + by];
    return (
      <IconButton
        isSmall
        data-back={by < 0 || undefined}
        label={labels.branch(by)}
        aria-disabled={!to || undefined}
        onClick={() => {
          if (!to) return;
          lastStepOf(client).step = { runId: to.runId, by, of };
          void client.switchTo(to.runId);
        }}
      >
        <ChevronIcon />
      </IconButton>
    );
  };
  return (
    <span ref={picker} className="ps-branches ps-muted" role="group" aria-label={labels.branches}>
      {step(-1)}
      <span className="ps-text-xs">{`${at + 1}/${versions.length}`}</span>
      {step(1)}
    </span>
  );
}

/**
 * Branches with the same question are versions of its answer. Of each other question there is one:
 * the branch that is shown, else the newest.
 */
function versionsOf(all: readonly Branch[], of: BranchPickerProps["of"]): readonly Branch[] {
  const shown = all.find(({ current }) => current);
  if (of === "answer") return all.filter(({ preview }) => preview === shown?.preview);
  const questions = new Map<string, Branch>();
  for (const branch of all) if (questions.get(branch.preview) !== shown) questions.set(branch.preview, branch);
  return [...questions.values()];
}
