import type { TrayLabels } from "../labels/types.js";
import type { AttachmentLimits } from "./attachments/attachments.js";
import type { TrayLayout } from "./frame/layout.js";

/** What can be open over the conversation. */
export type TrayPanel = "menu" | "history" | "sees" | "shortcuts" | "rename" | "share" | "shared";

/** The props of `<AssistantTray>`. */
export interface AssistantTrayProps {
  /**
   * Shown until the conversation has a title.
   * @defaultValue `"Assistant"`
   */
  title?: string;
  /** The page as users call it, for the greeting: "Ask about Orders". */
  pageName?: string;
  /** Example questions for the empty conversation. */
  suggestions?: readonly string[];
  /**
   * In the empty message box.
   * @defaultValue `"Ask anything about this page"`
   */
  placeholder?: string;
  /**
   * `"auto"` (as the system prefers), `"light"` or `"dark"`.
   * @defaultValue `"auto"`
   */
  theme?: "auto" | "light" | "dark";
  /** Texts that differ from the English ones (`TrayLabels`), or `german`. */
  labels?: Partial<TrayLabels>;
  /**
   * Open at the first visit. Later the tray is as the user left it.
   * @defaultValue `false`
   */
  defaultOpen?: boolean;
  /**
   * The edge of the page in its writing direction: `"start"` or `"end"`.
   * @defaultValue `"end"`
   */
  side?: "start" | "end";
  /**
   * `false` where the page has a button of its own.
   * @defaultValue `true`
   */
  launcher?: boolean;
  /**
   * Names of tools on screen, by tool name.
   * @defaultValue made from the name
   */
  toolLabels?: Readonly<Record<string, string>>;
  /**
   * On wide screens: `"docked"`, `"overlay"`, `"popup"`, `"full"` or `"inline"`.
   * @defaultValue `"docked"`
   */
  layout?: TrayLayout;
  /**
   * `"cozy"` or `"compact"`.
   * @defaultValue `"cozy"`
   */
  density?: "compact" | "cozy";
  /**
   * Opens the tray; Mod is Ctrl or Cmd. `false`: none.
   * @defaultValue `"Mod+/"`
   */
  shortcut?: string | false;
  /**
   * Which files may go with a message: `{ maxFiles, maxFileSize, maxTotalSize, accept }`. `false`:
   * none.
   * @defaultValue 8 files, 2.5 MB together; images, PDF, text
   */
  attachments?: AttachmentLimits | false;
  /**
   * Offers to dictate messages where the browser recognises speech, which its maker may do on
   * servers of its own. `false`: never.
   * @defaultValue `true`
   */
  voice?: boolean;
  /**
   * Tokens of context that the server takes (`contextTokens`), for the meter.
   * @defaultValue `1500`
   */
  contextBudget?: number;
}
