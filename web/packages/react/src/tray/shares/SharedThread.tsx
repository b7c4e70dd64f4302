import type { ThreadSnapshot } from "@pageside/core";
import type { SharedThread as Shared } from "@pageside/core/server";
import { useMemo } from "react";
import { AssistantContext, useAssistantContext } from "../../context.js";
import { usePanelLabels } from "../../labels/panels.js";
import { Button } from "../../ui/Button.js";
import { Drawer } from "../panels/Drawer.js";
import { ReadOnlyContext } from "../transcript/readOnly.js";
import { Skeleton } from "../transcript/Skeleton.js";
import { TurnList } from "../transcript/TurnList.js";
import { toTurns } from "../turn/turns.js";
import { useShared, type Unread } from "./useShared.js";

interface SharedThreadProps {
  token: string;
  /** Names of tools on screen, by tool name. */
  toolLabels?: Readonly<Record<string, string>>;
  onClose: () => void;
  /** The user wants a conversation of their own. */
  onStart: () => void;
}

/** A conversation that somebody shared: to read, and nothing else. */
export function SharedThread({ token, toolLabels, onClose, onStart }: SharedThreadProps) {
  const { client } = useAssistantContext("SharedThread");
  const labels = usePanelLabels();
  const { shared, unread, retry } = useShared(client, token);
  return (
    <Drawer title={shared?.title || labels.sharedThread} wide onClose={onClose}>
      <p className="ps-shared ps-muted ps-text-xs" role="status">
        {shared && labels.sharedOn(new Date(shared.createdAt))}
      </p>
      <div className="ps-transcript">
        <div className="ps-scroller" role="region" aria-label={labels.conversation} tabIndex={0}>
          <div className="ps-turns">
            {shared && <Turns shared={shared} toolLabels={toolLabels} />}
            {unread && <Problem unread={unread} onRetry={retry} />}
            {!shared && !unread && <Skeleton />}
          </div>
        </div>
      </div>
      <div className="ps-shared">
        <Button look="primary" onClick={onStart}>
          {labels.startOwn}
        </Button>
      </div>
    </Drawer>
  );
}

/** Subscribes to what never changes. */
const never = () => () => {};

/** The turns, with a client whose thread is the shared one and never changes. */
function Turns({ shared, toolLabels }: { shared: Shared } & Pick<SharedThreadProps, "toolLabels">) {
  const context = useAssistantContext("SharedThread");
  const { client } = context;
  const snapshot = useMemo(() => snapshotOf(shared), [shared]);
  const turns = useMemo(() => toTurns(snapshot), [snapshot]);
  const value = useMemo(
    () => ({ ...context, client: { ...client, getSnapshot: () => snapshot, subscribe: never, watch: never } }),
    [context, client, snapshot],
  );
  return (
    <AssistantContext.Provider value={value}>
      <ReadOnlyContext.Provider value={true}>
        <TurnList snapshot={snapshot} turns={turns} busy={false} toolLabels={toolLabels} />
      </ReadOnlyContext.Provider>
    </AssistantContext.Provider>
  );
}

function snapshotOf({ title, messages, toolCalls }: Shared): ThreadSnapshot {
  return {
    ...{ threadId: "", title, messages, toolCalls },
    ...{ status: "idle", connection: "idle", stoppedMessageIds: [], questions: [] },
    ...{ queue: [], queueHeld: false, state: undefined },
  };
}

/** Why it cannot be read. A link that has ended cannot be tried again. */
function Problem({ unread, onRetry }: { unread: Unread; onRetry: () => void }) {
  const labels = usePanelLabels();
  return (
    <div className="ps-panel-empty" role="alert">
      <p>{labels.sharedProblem(unread)}</p>
      {unread !== "ended" && <Button onClick={onRetry}>{labels.retry}</Button>}
    </div>
  );
}
