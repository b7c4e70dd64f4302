import type { AgentModel } from "@pageside/core";
import type { KeyboardEvent, ReactNode } from "react";
import { useLabels } from "../../labels/useLabels.js";
import { IconButton } from "../../ui/Button.js";
import { CloseIcon, ListIcon, MoreIcon, PlusIcon } from "../../ui/icons.js";

/** The props of `<Header>`. */
export interface HeaderProps {
  /** The title of the conversation, or the name of the assistant. */
  title: string;
  /** The id of the title, for `aria-labelledby`. */
  titleId?: string;
  /** The model that answers, if the server says so. */
  model?: AgentModel;
  /** Is there a conversation to leave? */
  canStartOver: boolean;
  /** Shown instead of the title, while it is changed. */
  children?: ReactNode;
  /** Is the menu open? */
  menuOpen?: boolean;
  /** The user begins a new conversation. */
  onNew: () => void;
  /** The user closes the tray. Absent for a tray that is always open. */
  onClose?: () => void;
  /** The user wants to see the history. Without it there is no button. */
  onHistory?: () => void;
  /** The user opens or closes the menu. Without it there is no button. */
  onMenu?: () => void;
  /** The user wants to change the title. */
  onRename?: () => void;
}

/** The title of the conversation, and the buttons around it. */
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
    <div className="ps-header ps-row ps-tight" onKeyDown={onKeyDown}>
      {onHistory && button(labels.history, <ListIcon />, onHistory, { "aria-haspopup": "dialog" })}
      <div className="ps-grow">
        <h2
          className={children ? "ps-sr-only" : "ps-title ps-cut"}
          id={titleId}
          title={title}
          dir="auto"
          onDoubleClick={onRename}
        >
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
      {onClose && button(labels.close, <CloseIcon />, onClose)}
    </div>
  );
}

function button(label: string, icon: ReactNode, onClick: () => void, attributes?: object) {
  return (
    <IconButton label={label} onClick={onClick} {...attributes}>
      {icon}
    </IconButton>
  );
}

/** The model that answers. A scripted model is labelled, so that it is not taken for a real one. */
function ModelBadge({ model }: { model: AgentModel }) {
  const labels = useLabels();
  const hint = model.scripted ? labels.scriptedModelHint : labels.modelHint(model.name);
  return (
    <span className="ps-badge ps-cut ps-text-xs ps-muted" data-scripted={model.scripted || undefined} title={hint}>
      {model.scripted ? labels.scriptedModel : shortName(model.name)}
      <span className="ps-sr-only">. {hint}</span>
    </span>
  );
}

/** `openai/gpt-5-mini` → `gpt-5-mini`. */
const shortName = (name: string) => name.slice(name.lastIndexOf("/") + 1);
