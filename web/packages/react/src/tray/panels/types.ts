import type { LayoutChoice } from "../frame/layout.js";
import type { TrayPanel } from "../types.js";

/** The props of `<Panels>`. */
export interface PanelsProps extends LayoutChoice {
  /** What is open. */
  panel: TrayPanel | undefined;
  /** The history stays beside the conversation. */
  hasRail: boolean;
  /** Opens another panel, or none. */
  showPanel: (panel?: TrayPanel) => void;
  /** Closes the panel and puts the focus into the message box. */
  focusInput: () => void;
  /** The token of the link that the page was opened with. */
  sharedToken?: string;
  /** Name of the assistant. */
  title: string;
  /** The keys that open the tray, for the list of keys. */
  shortcut: string | false;
  /** The tokens of page context that the server takes. */
  contextBudget?: number;
  /** Names of tools on screen, by tool name. */
  toolLabels?: Readonly<Record<string, string>>;
}
