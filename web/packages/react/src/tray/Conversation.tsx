import type { Question, ThreadSnapshot } from "@pageside/core";
import { useMemo, type RefObject } from "react";
import { useLabels } from "../labels/useLabels.js";
import { useAssistantContext } from "../provider.js";
import { Button } from "../ui/Button.js";
import { AlertIcon, RetryIcon } from "../ui/icons.js";
import { Composer, type ComposerHandle } from "./composer/Composer.js";
import { Queue } from "./composer/later.js";
import { Header } from "./frame/Header.js";
import { TitleField } from "./panels/later.js";
import { StatusRegion } from "./StatusRegion.js";
import { EmptyState } from "./suggestions/EmptyState.js";
import { PageQuestions } from "./transcript/later.js";
import { Transcript } from "./transcript/Transcript.js";
import { useSettledThread } from "./turn/settled.js";
import { answerOf, isBusy, toTurns, type Turn } from "./turn/turns.js";
import type { AssistantTrayProps, TrayPanel } from "./types.js";

const NONE: readonly never[] = [];

interface ConversationProps extends Pick<
  AssistantTrayProps,
  "pageName" | "suggestions" | "placeholder" | "toolLabels" | "attachments" | "voice"
> {
  title: string;
  composer: RefObject<ComposerHandle | null>;
  panel: TrayPanel | undefined;
  showPanel: (panel?: TrayPanel) => void;
  /** Is the history beside the conversation? */
  hasRail: boolean;
  /** What actions ask. */
  questions: readonly Question[];
  onClose?: () => void;
}

/** The content of the tray. Renders on every change of the thread but the growth of a text. */
export function Conversation(props: ConversationProps) {
  const {
    pageName,
    suggestions = NONE,
    placeholder,
    toolLabels,
    attachments,
    voice,
    composer,
    showPanel,
    questions,
  } = props;
  const { client } = useAssistantContext("AssistantTray");
  const snapshot = useSettledThread();
  const turns = useMemo(() => toTurns(snapshot), [snapshot]);
  const sent = useMemo(() => turns.flatMap((turn) => turn.question ?? []), [turns]);
  const focusInput = () => composer.current?.focus();

  return (
    <>
      <Head {...props} snapshot={snapshot} />
      <Transcript
        snapshot={snapshot}
        turns={turns}
        toolLabels={toolLabels}
        empty={
          <EmptyState pageName={pageName} suggestions={suggestions} onAsk={(...asked) => void client.send(...asked)} />
        }
        onRetry={() => void client.retry()}
        onDismiss={client.clearError}
      />
      <Connection connection={snapshot.connection} />
      {snapshot.queue.length > 0 && (
        <Queue queue={snapshot.queue} queueHeld={snapshot.queueHeld} onLeave={focusInput} />
      )}
      {questions.length > 0 && <PageQuestions questions={questions} onLeave={focusInput} />}
      <Composer
        ref={composer}
        running={isBusy(snapshot)}
        placeholder={placeholder}
        sent={sent}
        attachments={attachments}
        voice={voice}
        onSend={client.send}
        onStop={() => void client.stop()}
        onShowContext={() => showPanel("sees")}
      />
      <Status snapshot={snapshot} last={turns.at(-1)} asking={questions.length} />
    </>
  );
}

/** The title of the conversation, and the ways to others. */
function Head({
  snapshot,
  title,
  composer,
  panel,
  showPanel,
  hasRail,
  onClose,
}: ConversationProps & { snapshot: ThreadSnapshot }) {
  const { client } = useAssistantContext("AssistantTray");
  const hasMessages = snapshot.messages.length > 0;
  const { direct } = client.identity;
  return (
    <Header
      title={snapshot.title ?? title}
      model={snapshot.choices && !snapshot.model?.scripted ? undefined : snapshot.model}
      canStartOver={hasMessages}
      menuOpen={panel === "menu"}
      onNew={() => {
        client.newThread();
        composer.current?.focus();
      }}
      onClose={onClose}
      onHistory={direct || hasRail ? undefined : () => showPanel("history")}
      onMenu={() => showPanel(panel === "menu" ? undefined : "menu")}
      onRename={hasMessages && !direct ? () => showPanel("rename") : undefined}
    >
      {panel === "rename" && <TitleField title={snapshot.title ?? ""} onDone={() => showPanel()} />}
    </Header>
  );
}

/** The announcements for screen readers. */
function Status({ snapshot, last, asking }: { snapshot: ThreadSnapshot; last: Turn | undefined; asking: number }) {
  const { questions, connection, error } = snapshot;
  const labels = useLabels();
  return (
    <StatusRegion
      busy={isBusy(snapshot)}
      stopped={last?.stopped ?? false}
      cut={last?.cut && labels.cut(last.cut)}
      failed={error !== undefined}
      connection={connection}
      asking={asking}
      waiting={questions.length > asking}
      answer={last ? answerOf(last) : ""}
    />
  );
}

/** Says that the connection is broken, and offers to try at once. */
function Connection({ connection }: Pick<ThreadSnapshot, "connection">) {
  const { client } = useAssistantContext("Connection");
  const labels = useLabels();
  if (connection !== "reconnecting" && connection !== "offline") return null;
  return (
    <div className="ps-connection">
      {connection === "offline" ? <AlertIcon /> : <RetryIcon />}
      <span className="ps-grow">{labels.disconnected(connection === "offline")}</span>
      <Button look="ghost" onClick={() => void client.reconnect()}>
        {labels.retry}
      </Button>
    </div>
  );
}
