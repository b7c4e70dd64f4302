import { useEffect, useId, useRef } from "react";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { usePanelLabels } from "../../labels/panels.js";
import type { ThreadActions } from "../panels/useThreadActions.js";
import { History } from "./History.js";

interface RailProps {
  actions: ThreadActions;
  revision: number;
  /** The user wants to see the history. */
  asked: boolean;
  onAsked: () => void;
  /** A thread was opened. */
  onDone: () => void;
}

/** The history beside the conversation, where the tray fills a wide window. */
export function Rail({ actions, revision, asked, onAsked, onDone }: RailProps) {
  const labels = usePanelLabels();
  const titleId = useId();
  const element = useRef<HTMLElement>(null);
  const state = useAssistantSnapshot(
    ({ threadId, title = "", messages, status }) => `${messages.length > 0 && threadId} ${title} ${status === "idle"}`,
  );
  useEffect(() => {
    if (!asked) return;
    element.current?.querySelector("input")?.focus();
    onAsked();
  }, [asked, onAsked]);
  return (
    <nav ref={element} className="ps-rail" aria-labelledby={titleId}>
      <div className="ps-header ps-row ps-tight">
        <h2 className="ps-title ps-grow ps-cut" id={titleId}>
          {labels.history}
        </h2>
      </div>
      <History actions={actions} revision={`${revision} ${state}`} isRail onDone={onDone} />
    </nav>
  );
}
