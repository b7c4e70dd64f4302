import { useCallback, useId, useMemo, useRef, useState, type CSSProperties } from "react";
import { useAssistantSnapshot } from "../hooks/useAssistant.js";
import { useAssistantContext } from "../provider.js";
import type { AttachmentLimits } from "./attachments/attachments.js";
import type { ComposerHandle } from "./composer/Composer.js";
import { Conversation } from "./Conversation.js";
import { useLayout, type TrayLayout } from "./frame/layout.js";
import type { TrayPanel } from "./panels/types.js";
import { LabelsContext } from "../labels/useLabels.js";
import { Launcher } from "./frame/Launcher.js";
import { lazyPart } from "../ui/lazyPart.js";
import { english, type TrayLabels } from "../labels/english.js";
import { isBusy } from "./turn/turns.js";
import { TurnList } from "./transcript/turnsPart.js";
import { useMedia } from "../ui/useMedia.js";
import { useOpening } from "./frame/useOpening.js";
import { SHEET, useEdge, useInset } from "./frame/useTrayFrame.js";
import { useTrayKeys } from "./frame/useTrayKeys.js";
import { useWidth } from "./frame/useWidth.js";

export interface AssistantTrayProps {
  /**
   * Name of the assistant; default "Assistant". The title of the conversation takes its place in
   * the header.
   */
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
   * Where the tray stands on wide screens; default `"docked"`. The user may choose another one,
   * except for `"inline"`, which fills its container and is always open. On small screens all
   * others are a sheet over the page.
   */
  layout?: TrayLayout;
  /** Default `"cozy"`. */
  density?: "compact" | "cozy";
  /**
   * The keys that open the tray and go to its message box, from anywhere on the page; default
   * `"Mod+/"`, where Mod is Ctrl or Cmd. A page that handles them itself (`preventDefault`) has
   * them for itself. `false`: none.
   */
  shortcut?: string | false;
  /** Which files may go with a message; `false` for none. */
  attachments?: AttachmentLimits | false;
  /**
   * As many tokens as the server takes of the page's context (its `contextTokens`); default 1,500.
   */
  contextBudget?: number;
}

const ResizeHandle = lazyPart(() => import("./frame/ResizeHandle.js").then((module) => module.ResizeHandle));
const Panels = lazyPart(() => import("./panels/Panels.js").then((module) => module.Panels));

const NONE: readonly never[] = [];

/**
 * The chat tray: docked beside the page, a sheet over it on small screens. Needs
 * `@pageside/react/tray.css` and an `<AssistantProvider>` around it. Put it directly in the page's
 * root element, so that no transform or overflow of the page touches it.
 *
 * The docked tray lies over the edge of the page; a page that wants to make room uses the variable
 * it sets: `padding-inline-end: var(--ps-tray-inset, 0px)`.
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
 * The frame: where it stands, whether it is open, its keys; in it the conversation, and what opens
 * over that. It is long by its list of props and the attributes that styles and screen readers go
 * by; each step of it is one line.
 */
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
  const [root, setRoot] = useState<HTMLElement | null>(null);
  const trayRef = useRef<HTMLDivElement>(null);
  const launcherRef = useRef<HTMLButtonElement>(null);
  const composer = useRef<ComposerHandle>(null);
  const id = useId();
  const { panel, isUsed, showPanel } = usePanel();
  const { layout, layouts, choose } = useLayout(given);
  const sheet = useMedia(SHEET) && layout !== "inline";
  const modal = sheet || layout === "full";
  const beside = !sheet && /docked|overlay/.test(layout);
  const size = useWidth();
  const edge = useEdge(root, side);
  const title = props.title ?? labels.title;

  const focusInput = useCallback(() => {
    showPanel();
    composer.current?.focus();
  }, [showPanel]);
  const opening = useOpening({ layout, byDefault: defaultOpen, trayRef, launcherRef, focusInside: focusInput });
  const { isOpen, open, shut, close } = opening;
  useInset(isOpen && beside && layout === "docked" ? size.width : 0);
  const { stop } = useAssistantContext("AssistantTray").client;
  const running = useAssistantSnapshot(isBusy);
  const keys = { isOpen, modal, running, shortcut, trayRef, open, close, stop, focusInput, showPanel };
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
        <Launcher buttonRef={launcherRef} {...{ title, shortcut, isOpen }} onOpen={open} onClose={shut} />
      )}
      <div
        ref={trayRef}
        id={id}
        className="ps-tray"
        aria-label={title}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        onFocus={TurnList.preload}
        role={layout === "inline" ? "region" : beside ? "complementary" : "dialog"}
        aria-modal={modal || undefined}
      >
        {beside && <ResizeHandle {...size} edge={edge} controls={id} />}
        <Conversation {...props} {...{ title, composer, panel, showPanel }} onOpen={open} onClose={close} />
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

/**
 * What is open over the conversation. Once anything was, the part stays: what it says outlives the
 * panel.
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
