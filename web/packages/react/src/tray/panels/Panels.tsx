import { useCallback, useRef, useState, type KeyboardEvent } from "react";
import { useAssistantContext } from "../../context.js";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { usePanelLabels } from "../../labels/panels.js";
import { IconButton } from "../../ui/Button.js";
import { PlusIcon } from "../../ui/icons.js";
import { History } from "../history/History.js";
import { Rail } from "../history/Rail.js";
import { ShareThread } from "../shares/ShareThread.js";
import { SharedThread } from "../shares/SharedThread.js";
import { Sees } from "../sees/Sees.js";
import { keepTabInside } from "../frame/useTrayKeys.js";
import { Drawer } from "./Drawer.js";
import { HeaderMenu } from "./HeaderMenu.js";
import { panelStyles } from "./panelStyles.js";
import { Shortcuts } from "./Shortcuts.js";
import { ToastView, useToast } from "./Toast.js";
import type { TrayPanel } from "../types.js";
import type { PanelsProps } from "./types.js";
import { useStyles } from "./useStyles.js";
import { useThreadActions } from "./useThreadActions.js";

const DRAWERS = new Set<TrayPanel | undefined>(["sees", "shortcuts", "share", "shared"]);

/** What opens over the conversation, and the message about what was done there. */
export function Panels(props: PanelsProps) {
  const { panel, showPanel, focusInput, shortcut, hasRail } = props;
  const { client } = useAssistantContext("Panels");
  const labels = usePanelLabels();
  const hasMessages = useAssistantSnapshot(({ messages }) => messages.length > 0);
  const element = useRef<HTMLDivElement>(null);
  useStyles(element, panelStyles);
  const toast = useToast();
  const [revision, setRevision] = useState(0);
  const onChange = useCallback(() => setRevision((now) => now + 1), []);
  const actions = useThreadActions(client, toast, onChange);
  const close = useCallback(() => showPanel(), [showPanel]);
  const isDrawer = panel === "history" ? !hasRail : DRAWERS.has(panel);

  const startOver = () => {
    client.newThread();
    focusInput();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (!isDrawer || event.defaultPrevented || event.nativeEvent.isComposing) return;
    if (event.key === "Escape") (panel === "shared" ? focusInput : close)();
    else if (event.key === "Tab") return keepTabInside(event, element.current);
    else if (event.key !== "F6") return;
    event.preventDefault();
  };

  return (
    <div ref={element} className="ps-panels" onKeyDown={onKeyDown}>
      {panel === "menu" && <HeaderMenu {...props} toast={toast} actions={actions} onNew={startOver} onClose={close} />}
      {hasRail && <Rail {...{ actions, revision }} asked={panel === "history"} onAsked={close} onDone={focusInput} />}
      {panel === "history" && !hasRail && (
        <Drawer
          title={labels.history}
          onClose={close}
          actions={<NewButton onClick={hasMessages ? startOver : focusInput} />}
        >
          <History actions={actions} revision={String(revision)} onDone={focusInput} />
        </Drawer>
      )}
      {panel === "sees" && (
        <Drawer title={labels.whatItSees()} onClose={close}>
          <Sees budget={props.contextBudget} toolLabels={props.toolLabels} />
        </Drawer>
      )}
      {panel === "share" && (
        <Drawer title={labels.shareThread} onClose={close}>
          <ShareThread toast={toast} />
        </Drawer>
      )}
      {panel === "shared" && props.sharedToken && (
        <SharedThread
          token={props.sharedToken}
          toolLabels={props.toolLabels}
          onClose={focusInput}
          onStart={hasMessages ? startOver : focusInput}
        />
      )}
      {panel === "shortcuts" && (
        <Drawer title={labels.shortcuts} onClose={close}>
          <Shortcuts shortcut={shortcut} />
        </Drawer>
      )}
      <ToastView toast={toast} onUndone={() => (isDrawer ? focusDrawer(element.current) : focusInput())} />
    </div>
  );
}

function NewButton({ onClick }: { onClick: () => void }) {
  const { newConversation } = usePanelLabels();
  return (
    <IconButton label={newConversation} onClick={onClick}>
      <PlusIcon />
    </IconButton>
  );
}

const focusDrawer = (panels: HTMLElement | null) => panels?.querySelector<HTMLElement>(".ps-drawer")?.focus();
