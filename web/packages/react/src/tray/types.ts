import type { TrayLabels } from "../labels/types.js";
import type { AttachmentLimits } from "./attachments/attachments.js";
import type { TrayLayout } from "./frame/layout.js";

/** What can be open over the conversation. */
export type TrayPanel = "menu" | "history" | "sees" | "shortcuts" | "rename";

/** The props of `<AssistantTray>`. */
export interface AssistantTrayProps {
  /**
   * Name of the assistant; default "Assistant". In the header, the title of the conversation
   * replaces it.
   */
  title?: string;
  /** The page as users call it, for the greeting: "Ask about Orders". */
  pageName?: string;
  /** Example questions, shown while the conversation is empty. */
  suggestions?: readonly string[];
  /** In the empty message box. Default "Ask anything about this page". */
  placeholder?: string;
  /** Default `"auto"`: as the system prefers. */
  theme?: "auto" | "light" | "dark";
  /** Texts that differ from the English ones; `german` is the whole catalogue in German. */
  labels?: Partial<TrayLabels>;
  /** Open at the first visit; later the tray is as the user left it. */
  defaultOpen?: boolean;
  /** The edge of the page, in its writing direction. Default `"end"`: right in English. */
  side?: "start" | "end";
  /** `false` if the page has its own button that opens the tray. Default true. */
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
   * `"Mod+/"`, where Mod is Ctrl or Cmd. A page that handles them itself calls `preventDefault`.
   * `false`: none.
   */
  shortcut?: string | false;
  /** Which files may go with a message; `false` for none. */
  attachments?: AttachmentLimits | false;
  /** The tokens of page context that the server takes (`contextTokens`); default 1,500. */
  contextBudget?: number;
}
