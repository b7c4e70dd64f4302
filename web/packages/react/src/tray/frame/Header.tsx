import type { AgentModel } from "@pageside/core";
import type { KeyboardEvent, ReactNode } from "react";
import { CloseIcon, ListIcon, MoreIcon, PlusIcon } from "../../ui/icons.js";
import { useLabels } from "../../labels/useLabels.js";

export interface HeaderProps {
  title: string;
  /** For `aria-labelledby`. */
  titleId?: string;
  model?: AgentModel;
  /** Is there a conversation to leave? */
  canStartOver: boolean;
  /** Stands in the place of the title, while it is changed. */
  children?: ReactNode;
  menuOpen?: boolean;
  onNew: () => void;
  /** Absent for a tray that is always open. */
  onClose?: () => void;
  onHistory?: () => void;
  onMenu?: () => void;
  /** The user wants to change the title. */
  onRename?: () => void;
}

export function Header(props: HeaderProps) {
  const { title, titleId, model, canStartOver, children, menuOpen, onNew, onClose, onHistory, onMenu, onRename } =
    props;
  const labels = useLabels();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "F2" || !onRename) return;
    event.preventDefault();
    onRename();
  };
  return (
    <div className="ps-header" onKeyDown={onKeyDown}>
      {onHistory && button(labels.history, <ListIcon />, onHistory, { "aria-haspopup": "dialog" })}
      <div className="ps-heading">
        <h2 className={children ? "ps-sr-only" : "ps-title"} id={titleId} title={title} onDoubleClick={onRename}>
          {title}
        </h2>
        {children}
        {model && !children && <ModelBadge model={model} />}
      </div>
      {button(labels.newConversation, <PlusIcon />, () => canStartOver && onNew(), {
        "aria-disabled": !canStartOver || undefined,
      })}
      {onMenu &&
        button(labels.menu, <MoreIcon />, onMenu, {
          "aria-haspopup": "menu",
          "aria-expanded": menuOpen,
        })}
      {onClose && button(labels.closeTray, <CloseIcon />, onClose)}
    </div>
  );
}

function button(label: string, icon: ReactNode, onClick: () => void, attributes?: object) {
  return (
    <button type="button" className="ps-icon-button" aria-label={label} title={label} onClick={onClick} {...attributes}>
      {icon}
    </button>
  );
}

/**
 * Which model answers; a scripted one says so in words, so that nobody takes its answers for a
 * model's.
 */
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
