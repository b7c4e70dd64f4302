import { useCallback, useEffect, useId, useMemo, useRef, useState, type CSSProperties, type RefObject } from "react";
import { useAssistantSnapshot } from "../hooks/use-assistant.js";
import { useAssistantContext } from "../provider.js";
import { Composer, type ComposerHandle } from "./Composer.js";
import { Connection } from "./Connection.js";
import { lazyPart } from "./lazyPart.js";
import { EmptyState } from "./EmptyState.js";
import { useLayout, type TrayLayout } from "./frame/layout.js";
import type { TrayPanel } from "./frame/panel.js";
import { Header } from "./Header.js";
import { CloseIcon, LauncherIcon } from "./icons.js";
import { LabelsContext } from "./labels.js";
import { StatusRegion } from "./StatusRegion.js";
import { english, type TrayLabels } from "./strings.js";
import { Transcript } from "./Transcript.js";
import { answerOf, isBusy, toTurns } from "./turns.js";
import { TurnList } from "./turnsPart.js";
import { useActionQuestions } from "./useActionQuestions.js";
import { useMedia } from "./useMedia.js";
import { SHEET, useEdge, useFocusMove, useInert, useInset, useRememberedOpen } from "./useTrayFrame.js";
import { useTrayKeys } from "./useTrayKeys.js";
import { useWidth } from "./useWidth.js";
import type { AttachmentLimits } from "./composer/attachments.js";

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
  /**
   * Where the tray stands on wide screens; default `"docked"`. The user may choose another one, except for `"inline"`,
   * which fills its container and is always open. On small screens all others are a sheet over the page.
   */
  layout?: TrayLayout;
  /** Default `"cozy"`. */
  density?: "compact" | "cozy";
  /**
   * The keys that open the tray and go to its message box, from anywhere on the page; default `"Mod+/"`, where Mod is Ctrl
   * or Cmd. A page that handles them itself (`preventDefault`) has them for itself. `false`: none.
   */
  shortcut?: string | false;
  /** Which files may go with a message; `false` for none. */
  attachments?: AttachmentLimits | false;
  /** As many tokens as the server takes of the page's context (its `contextTokens`); default 1,500. */
  contextBudget?: number;
}

const Queue = lazyPart(() => import("./Queue.js").then((module) => module.Queue));
const ResizeHandle = lazyPart(() => import("./ResizeHandle.js").then((module) => module.ResizeHandle));
const Panels = lazyPart(() => import("./frame/Panels.js").then((module) => module.Panels));
const TitleField = lazyPart(() => import("./frame/TitleField.js").then((module) => module.TitleField));

const ActionQuestions = lazyPart(() => import("./ActionQuestions.js").then((module) => module.ActionQuestions));

const NONE: readonly never[] = [];

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
  layout: given = "docked",
  density = "cozy",
  shortcut = "Mod+/",
  contextBudget,
  ...props
}: AssistantTrayProps & { labels: TrayLabels }) {
  const { client, isOpen: wasOpened, setOpen } = useAssistantContext("AssistantTray");
  const running = useAssistantSnapshot(isBusy);
  const [root, setRoot] = useState<HTMLElement | null>(null);
  const tray = useRef<HTMLDivElement>(null);
  const launcher = useRef<HTMLButtonElement>(null);
  const composer = useRef<ComposerHandle>(null);
  const id = useId();
  const { panel, isUsed, showPanel } = usePanel();
  const { layout, layouts, choose } = useLayout(given);
  const inline = layout === "inline";
  const isOpen = inline || wasOpened;
  const sheet = useMedia(SHEET) && !inline;
  const modal = sheet || layout === "full";
  const beside = !sheet && /docked|overlay/.test(layout);
  const size = useWidth();
  const edge = useEdge(root, side);
  const title = props.title ?? labels.title;

  const open = useCallback(() => setOpen(true), [setOpen]);
  const shut = useCallback(() => setOpen(false), [setOpen]);
  const close = inline ? undefined : shut;
  const focusInput = useCallback(() => {
    showPanel();
    composer.current?.focus();
  }, [showPanel]);
  const { restoredRef } = useRememberedOpen(isOpen, setOpen, defaultOpen, layout === "full");
  useEffect(() => {
    if (inline && !wasOpened) setOpen(true); // for those who ask whether it is
  }, [inline, wasOpened, setOpen]);
  useEffect(() => (isOpen ? client.follow() : undefined), [client, isOpen]);
  useInert(tray, !isOpen);
  useInset(isOpen && beside && layout === "docked" ? size.width : 0);
  useFocusMove({ isOpen, trayRef: tray, launcherRef: launcher, restoredRef, focusInside: focusInput });
  const { stop } = client;
  const keys = { isOpen, modal, running, shortcut, trayRef: tray, open, close, stop, focusInput, showPanel };
  const onKeyDown = useTrayKeys(keys);
  const keepsLauncher = layout === "popup" && !sheet;

  return (
    <div
      ref={setRoot}
      className="ps-root"
      data-theme={theme}
      data-side={side}
      data-edge={edge}
      data-layout={layout}
      data-density={density}
      data-open={isOpen || undefined}
      data-launcher={hasLauncher || undefined}
      style={{ "--ps-width": `${size.width}px` } as CSSProperties}
    >
      {hasLauncher && (!isOpen || keepsLauncher) && (
        <button
          ref={launcher}
          type="button"
          className="ps-launcher"
          aria-label={isOpen ? labels.closeTray : labels.openTray(title)}
          aria-expanded={isOpen}
          title={isOpen ? labels.closeTray : hint(labels.openTray(title), shortcut)}
          onClick={isOpen ? shut : open}
        >
          {isOpen ? <CloseIcon /> : <LauncherIcon />}
        </button>
      )}
      <div
        ref={tray}
        id={id}
        className="ps-tray"
        aria-label={title}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        onFocus={TurnList.preload}
        role={inline ? "region" : beside ? "complementary" : "dialog"}
        aria-modal={modal || undefined}
      >
        {beside && <ResizeHandle {...size} edge={edge} controls={id} />}
        <Conversation
          {...props}
          title={title}
          composer={composer}
          panel={panel}
          showPanel={showPanel}
          onOpen={open}
          onClose={close}
        />
        {isUsed && (
          <Panels
            {...{ panel, showPanel, focusInput, layout, choose, title, shortcut, contextBudget }}
            layouts={sheet ? NONE : layouts}
            toolLabels={props.toolLabels}
          />
        )}
      </div>
    </div>
  );
}

/** `"Open Assistant (Ctrl+/)"`. */
const hint = (text: string, shortcut: string | false) =>
  shortcut ? `${text} (${shortcut.replace("Mod", "Ctrl")})` : text;

/** What is open over the conversation. Once anything was, the part stays: what it says outlives the panel. */
function usePanel() {
  const [{ panel, isUsed }, set] = useState<{ panel?: TrayPanel; isUsed: boolean }>({ isUsed: false });
  const showPanel = useCallback(
    (next?: TrayPanel) =>
      set((now) => (now.panel === next ? now : { panel: next, isUsed: now.isUsed || next !== undefined })),
    [],
  );
  return { panel, isUsed, showPanel };
}

interface ConversationProps extends Pick<
  AssistantTrayProps,
  "pageName" | "suggestions" | "placeholder" | "toolLabels" | "attachments"
> {
  title: string;
  composer: RefObject<ComposerHandle | null>;
  panel: TrayPanel | undefined;
  showPanel: (panel?: TrayPanel) => void;
  onOpen: () => void;
  onClose?: () => void;
}

/** What stands in the tray. It renders with every change of the thread; the frame around it does not. */
function Conversation({
  title,
  pageName,
  suggestions = NONE,
  placeholder,
  toolLabels,
  attachments,
  composer,
  panel,
  showPanel,
  onOpen,
  onClose,
}: ConversationProps) {
  const { client } = useAssistantContext("AssistantTray");
  const snapshot = useAssistantSnapshot((thread) => thread);
  const turns = useMemo(() => toTurns(snapshot), [snapshot]);
  const running = isBusy(snapshot);
  const last = turns.at(-1);
  const questions = useActionQuestions(client, onOpen);

  return (
    <>
      <Header
        title={snapshot.title ?? title}
        model={snapshot.model}
        canStartOver={snapshot.messages.length > 0}
        menuOpen={panel === "menu"}
        onNew={() => {
          client.newThread();
          composer.current?.focus();
        }}
        onClose={onClose}
        onHistory={() => showPanel("history")}
        onMenu={() => showPanel(panel === "menu" ? undefined : "menu")}
        onRename={snapshot.messages.length > 0 ? () => showPanel("rename") : undefined}
      >
        {panel === "rename" && <TitleField title={snapshot.title ?? ""} onDone={() => showPanel()} />}
      </Header>
      <Transcript
        snapshot={snapshot}
        turns={turns}
        toolLabels={toolLabels}
        empty={<EmptyState pageName={pageName} suggestions={suggestions} onAsk={(text) => void client.send(text)} />}
        onRetry={() => void client.retry()}
        onDismiss={client.clearError}
      />
      <Connection connection={snapshot.connection} />
      {snapshot.queue.length > 0 && (
        <Queue queue={snapshot.queue} queueHeld={snapshot.queueHeld} onLeave={() => composer.current?.focus()} />
      )}
      {questions.length > 0 && <ActionQuestions questions={questions} onAnswered={() => composer.current?.focus()} />}
      <Composer
        ref={composer}
        running={running}
        placeholder={placeholder}
        sent={turns.flatMap((turn) => turn.question ?? [])}
        attachments={attachments}
        onSend={client.send}
        onStop={() => void client.stop()}
        onShowContext={() => showPanel("sees")}
      />
      <StatusRegion
        busy={running}
        stopped={last?.stopped ?? false}
        failed={snapshot.error !== undefined}
        connection={snapshot.connection}
        asking={questions.length}
        waiting={snapshot.interrupts.length > 0 || Object.values(snapshot.toolCalls).some((call) => call.confirmation)}
        answer={last ? answerOf(last) : ""}
      />
    </>
  );
}
