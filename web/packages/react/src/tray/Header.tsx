import type { AgentModel } from "@pageside/core";
import { CloseIcon, PlusIcon } from "./icons.js";
import { useLabels } from "./labels.js";

export interface HeaderProps {
  title: string;
  /** For `aria-labelledby`. */
  titleId?: string;
  model?: AgentModel;
  /** Is there a conversation to leave? */
  canStartOver: boolean;
  onNew: () => void;
  onClose: () => void;
}

export function Header({ title, titleId, model, canStartOver, onNew, onClose }: HeaderProps) {
  const labels = useLabels();
  return (
    <div className="ps-header">
      <h2 className="ps-title" id={titleId} title={title}>
        {title}
      </h2>
      {model && <ModelBadge model={model} />}
      <span className="ps-header-space" />
      <button
        type="button"
        className="ps-icon-button"
        aria-label={labels.newConversation}
        title={labels.newConversation}
        aria-disabled={!canStartOver || undefined}
        onClick={() => canStartOver && onNew()}
      >
        <PlusIcon />
      </button>
      <button
        type="button"
        className="ps-icon-button"
        aria-label={labels.closeTray}
        title={labels.closeTray}
        onClick={onClose}
      >
        <CloseIcon />
      </button>
    </div>
  );
}

/** Which model answers; a scripted one says so in words, so that nobody takes its answers for a model's. */
function ModelBadge({ model }: { model: AgentModel }) {
  const labels = useLabels();
  const hint = model.scripted ? labels.scriptedModelHint : labels.modelHint(model.name);
  return (
    <span className="ps-badge" data-scripted={model.scripted || undefined} title={hint}>
      {model.scripted ? labels.scriptedModel : shortName(model.name)}
      <span className="ps-sr-only">. {hint}</span>
    </span>
  );
}

/** `openai/gpt-5-mini` → `gpt-5-mini`. */
const shortName = (name: string) => name.slice(name.lastIndexOf("/") + 1);
