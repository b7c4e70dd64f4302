import { useCallback, useEffect, useId, useMemo, useRef, useState, type CSSProperties, type RefObject } from "react";
import { useAssistantSnapshot } from "../hooks/use-assistant.js";
import { useAssistantContext } from "../provider.js";
import { Composer, type ComposerHandle } from "./Composer.js";
import { Connection } from "./Connection.js";
import { lazyPart } from "./lazyPart.js";
import { EmptyState } from "./EmptyState.js";
import { Header } from "./Header.js";
import { LauncherIcon } from "./icons.js";
import { LabelsContext } from "./labels.js";
import { ResizeHandle } from "./ResizeHandle.js";
import { StatusRegion } from "./StatusRegion.js";
import { english, type TrayLabels } from "./strings.js";
import { Transcript } from "./Transcript.js";
import { answerOf, isBusy, toTurns } from "./turns.js";
import { useMedia } from "./useMedia.js";
import { SHEET, useEdge, useFocusMove, useInert, useInset, useRememberedOpen } from "./useTrayFrame.js";
import { useTrayKeys } from "./useTrayKeys.js";
import { useWidth } from "./useWidth.js";

export interface AssistantTrayProps {
  /** Name of the assistant; default "Assistant". The title of the conversation takes its place in the header. */
  title?: string;
  /** As the user calls the page they are on, for the greeting: "Ask about Orders". */
  pageName?: string;
  /** Example questions, shown while the conversation is empty. */
  suggestions?: readonly string[];
  placeholder?: string;
  /** Default `"auto"`: as the system prefers. */
  theme?: "auto" | "light" | "dark";
  /** Texts that differ from the English ones; `german` is the whole catalogue in German. */
  labels?: Partial<TrayLabels>;
  /** Open at the first visit; later the tray is as the user left it. */
  defaultOpen?: boolean;
  /** The edge of the page, in its writing direction. Default `"end"`: right in English. */
  side?: "start" | "end";
  /** `false` where the page has a button of its own that opens the tray. Default true. */
  launcher?: boolean;
  /** Names of tools on screen, by tool name; default made from the tool's name. */
  toolLabels?: Readonly<Record<string, string>>;
}

const Queue = lazyPart(() => import("./Queue.js").then((module) => module.Queue));

const NONE: readonly string[] = [];

/**
 * The chat tray: docked beside the page, a sheet over it on small screens. Needs `@pageside/react/tray.css` and an
 * `<AssistantProvider>` around it. Put it directly in the page's root element, so that no transform or overflow of the
 * page touches it.
 *
 * The docked tray lies over the edge of the page; a page that wants to make room uses the variable it sets:
 * `padding-inline-end: var(--ps-tray-inset, 0px)`.
 */
export function AssistantTray(props: AssistantTrayProps) {
  const { labels: changes } = props;
  const labels = useMemo(() => ({ ...english, ...changes }), [changes]);
  return (
    <LabelsContext.Provider value={labels}>
      <Tray {...props} labels={labels} />
    </LabelsContext.Provider>
  );
}

function Tray({
  labels,
  theme = "auto",
  side = "end",
  defaultOpen = false,
  launcher: hasLauncher = true,
  ...props
}: AssistantTrayProps & { labels: TrayLabels }) {
  const { client, isOpen, setOpen } = useAssistantContext("AssistantTray");
  const running = useAssistantSnapshot(isBusy);
  const [root, setRoot] = useState<HTMLElement | null>(null);
  const tray = useRef<HTMLDivElement>(null);
  const launcher = useRef<HTMLButtonElement>(null);
  const composer = useRef<ComposerHandle>(null);
  const id = useId();
  const sheet = useMedia(SHEET);
  const size = useWidth();
  const edge = useEdge(root, side);
  const title = props.title ?? labels.title;

  const open = useCallback(() => setOpen(true), [setOpen]);
  const close = useCallback(() => setOpen(false), [setOpen]);
  const focusInput = useCallback(() => composer.current?.focus(), []);
  const { restoredRef } = useRememberedOpen(isOpen, setOpen, defaultOpen);
  useEffect(() => (isOpen ? client.follow() : undefined), [client, isOpen]);
  useInert(tray, !isOpen);
  useInset(isOpen && !sheet ? size.width : 0);
  useFocusMove({ isOpen, trayRef: tray, launcherRef: launcher, restoredRef, focusInside: focusInput });
  const onKeyDown = useTrayKeys({ isOpen, sheet, running, trayRef: tray, open, close, stop: client.stop, focusInput });

  return (
    <div
      ref={setRoot}
      className="ps-root"
      data-theme={theme}
      data-side={side}
      data-edge={edge}
      data-open={isOpen || undefined}
      style={{ "--ps-width": `${size.width}px` } as CSSProperties}
    >
      {hasLauncher && !isOpen && (
        <button
          ref={launcher}
          type="button"
          className="ps-launcher"
          aria-label={labels.openTray(title)}
          aria-expanded={false}
          title={`${labels.openTray(title)} (Ctrl+/)`}
          onClick={open}
        >
          <LauncherIcon />
        </button>
      )}
      <div
        ref={tray}
        id={id}
        className="ps-tray"
        aria-label={title}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        role={sheet ? "dialog" : "complementary"}
        aria-modal={sheet || undefined}
      >
        {!sheet && <ResizeHandle {...size} edge={edge} controls={id} />}
        <Conversation {...props} title={title} composer={composer} onClose={close} />
      </div>
    </div>
  );
}

interface ConversationProps extends Pick<
  AssistantTrayProps,
  "pageName" | "suggestions" | "placeholder" | "toolLabels"
> {
  title: string;
  composer: RefObject<ComposerHandle | null>;
  onClose: () => void;
}

/** What stands in the tray. It renders with every change of the thread; the frame around it does not. */
function Conversation({
  title,
  pageName,
  suggestions = NONE,
  placeholder,
  toolLabels,
  composer,
  onClose,
}: ConversationProps) {
  const { client } = useAssistantContext("AssistantTray");
  const snapshot = useAssistantSnapshot((thread) => thread);
  const turns = useMemo(() => toTurns(snapshot), [snapshot]);
  const running = isBusy(snapshot);
  const last = turns.at(-1);
  const send = (text: string) => void client.send(text);

  return (
    <>
      <Header
        title={snapshot.title ?? title}
        model={snapshot.model}
        canStartOver={snapshot.messages.length > 0}
        onNew={() => {
          client.newThread();
          composer.current?.focus();
        }}
        onClose={onClose}
      />
      <Transcript
        snapshot={snapshot}
        turns={turns}
        toolLabels={toolLabels}
        empty={<EmptyState pageName={pageName} suggestions={suggestions} onAsk={send} />}
        onRetry={() => void client.retry()}
        onDismiss={client.clearError}
      />
      <Connection connection={snapshot.connection} />
      {snapshot.queue.length > 0 && (
        <Queue queue={snapshot.queue} queueHeld={snapshot.queueHeld} onLeave={() => composer.current?.focus()} />
      )}
      <Composer
        ref={composer}
        running={running}
        placeholder={placeholder}
        sent={turns.flatMap((turn) => turn.question ?? [])}
        onSend={send}
        onStop={() => void client.stop()}
      />
      <StatusRegion
        busy={running}
        stopped={last?.stopped ?? false}
        failed={snapshot.error !== undefined}
        connection={snapshot.connection}
        waiting={snapshot.interrupts.length > 0}
        answer={last ? answerOf(last) : ""}
      />
    </>
  );
}
