import { useCallback, useId, useMemo, useRef, useState, type CSSProperties } from "react";
import { english } from "../labels/english.js";
import type { TrayLabels } from "../labels/types.js";
import { LabelsContext } from "../labels/useLabels.js";
import { useAssistantContext } from "../provider.js";
import { useMedia } from "../ui/useMedia.js";
import { usePageQuestions } from "./approvals/question.js";
import type { ComposerHandle } from "./composer/Composer.js";
import { composerPart } from "./composer/later.js";
import { Conversation } from "./Conversation.js";
import { useEdge, useInset, useWidth, type TrayWidth } from "./frame/edge.js";
import { Launcher } from "./frame/Launcher.js";
import { ResizeHandle } from "./frame/ResizeHandle.js";
import { useLayout, SHEET, WIDE, type TrayLayout } from "./frame/layout.js";
import { useAwake } from "./frame/useAwake.js";
import { useOpening } from "./frame/useOpening.js";
import { useSharedLink } from "./frame/useSharedLink.js";
import { useTrayKeys } from "./frame/useTrayKeys.js";
import { Panels } from "./panels/later.js";
import { isBusy } from "./turn/turns.js";
import type { TrayPanel, AssistantTrayProps } from "./types.js";

const NONE: readonly never[] = [];

/**
 * The chat tray: docked beside the page, a sheet over it on small screens. Needs
 * `@pageside/react/tray.css` and an `<AssistantProvider>` around it. Put it directly in the page's
 * root element, so that no transform or overflow of the page touches it.
 *
 * The docked tray covers the edge of the page; to make room, use the variable that it sets:
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

/**
 * The frame: its position, whether it is open, and its keys. It contains the conversation and the
 * panels.
 */
function Tray(props: AssistantTrayProps & { labels: TrayLabels }) {
  const { labels, shortcut = "Mod+/", launcher: hasLauncher = true, contextBudget, ...others } = props;
  const [root, setRoot] = useState<HTMLElement | null>(null);
  const frame = useFrame(props, root, shortcut);
  const { id, trayRef, launcherRef, composer, panel, showPanel, focusInput } = frame;
  const { layout, layouts, choose, sheet, modal, beside, hasRail, size, edge, isOpen, isAwake, open, shut, close } =
    frame;
  const title = props.title ?? labels.title;
  const near = () => {
    frame.wake();
    composerPart.preload();
  };
  return (
    <div ref={setRoot} className="ps-root" {...rootAttributes({ ...props, ...frame, hasLauncher })}>
      {hasLauncher && (!isOpen || (layout === "popup" && !sheet)) && (
        <Launcher buttonRef={launcherRef} {...{ title, shortcut, isOpen }} onNear={near} onOpen={open} onClose={shut} />
      )}
      <div
        ref={trayRef}
        id={id}
        className="ps-tray"
        aria-label={title}
        tabIndex={-1}
        onKeyDown={frame.onKeyDown}
        role={layout === "inline" ? "region" : beside ? "complementary" : "dialog"}
        aria-modal={modal || undefined}
      >
        {isAwake && beside && <ResizeHandle {...size} edge={edge} controls={id} />}
        {isAwake && (
          <Conversation
            {...others}
            {...{ title, composer, panel, showPanel, hasRail }}
            questions={frame.questions}
            onClose={close}
          />
        )}
        {(frame.isUsed || hasRail) && (
          <Panels
            {...{ panel, showPanel, focusInput, hasRail, layout, choose, title, shortcut, contextBudget }}
            layouts={sheet ? NONE : layouts}
            toolLabels={props.toolLabels}
            sharedToken={frame.sharedToken}
          />
        )}
      </div>
    </div>
  );
}

/** The position of the tray, whether it is open, and its keys. `root` is its outermost element. */
function useFrame(props: AssistantTrayProps, root: HTMLElement | null, shortcut: string | false) {
  const trayRef = useRef<HTMLDivElement>(null);
  const launcherRef = useRef<HTMLButtonElement>(null);
  const composer = useRef<ComposerHandle>(null);
  const id = useId();
  const panels = usePanel();
  const { panel, showPanel } = panels;
  const focusInput = useCallback(() => {
    showPanel();
    composer.current?.focus();
  }, [showPanel]);
  const { layout, layouts, choose } = useLayout(props.layout ?? "docked");
  const sheet = useMedia(SHEET) && layout !== "inline";
  const modal = sheet || layout === "full";
  const beside = !sheet && /docked|overlay/.test(layout);
  const size = useWidth();
  const edge = useEdge(root, props.side ?? "end");
  const byDefault = props.defaultOpen ?? false;
  // A shared thread stays open, and takes the focus itself when it is loaded.
  const focusShared = () => trayRef.current?.querySelector<HTMLElement>(".ps-drawer")?.focus();
  const focusInside = panel === "shared" ? focusShared : focusInput;
  const opening = useOpening({ layout, byDefault, trayRef, launcherRef, focusInside });
  const { isOpen, open, close } = opening;
  const awakening = useAwake(isOpen);
  useInset(isOpen && beside && layout === "docked" ? size.width : 0);
  const { client } = useAssistantContext("AssistantTray");
  const { stop, identity } = client;
  const isRunning = () => isBusy(client.getSnapshot());
  const questions = usePageQuestions(open);
  const sharedToken = useSharedLink(client, panel, open, showPanel);
  const hasHistory = !identity.direct;
  const isWide = useMedia(WIDE);
  const hasRail = isWide && layout === "full" && isOpen && hasHistory;
  const keys = { isOpen, modal, isRunning, hasHistory, shortcut, trayRef, open, close, stop, focusInput, showPanel };
  const onKeyDown = useTrayKeys(keys);
  const refs = { id, trayRef, launcherRef, composer };
  return { ...refs, ...panels, ...opening, ...awakening, layout, layouts, choose, sheet, modal, beside, hasRail, size, edge, onKeyDown, focusInput, sharedToken, questions }; // prettier-ignore
}

interface Look extends Pick<AssistantTrayProps, "theme" | "density" | "side"> {
  layout: TrayLayout;
  edge: "left" | "right";
  isOpen: boolean;
  hasLauncher: boolean;
  hasRail: boolean;
  size: TrayWidth;
}

/** The attributes that the style sheet uses. */
function rootAttributes(look: Look) {
  const { theme = "auto", density = "cozy", side = "end", layout, edge, isOpen, hasLauncher, hasRail, size } = look;
  return {
    "data-theme": theme,
    "data-side": side,
    "data-edge": edge,
    "data-layout": layout,
    "data-density": density,
    "data-open": isOpen || undefined,
    "data-launcher": hasLauncher || undefined,
    "data-rail": hasRail || undefined,
    style: { "--ps-width": `${size.width}px` } as CSSProperties,
  };
}

/**
 * The panel over the conversation. Once loaded, the part stays mounted, because its messages
 * outlive the panel.
 */
function usePanel() {
  const [{ panel, isUsed }, set] = useState<{ panel?: TrayPanel; isUsed: boolean }>({ isUsed: false });
  const showPanel = useCallback(
    (next?: TrayPanel) =>
      set((now) => (now.panel === next ? now : { panel: next, isUsed: now.isUsed || next !== undefined })),
    [],
  );
  return { panel, isUsed, showPanel };
}
