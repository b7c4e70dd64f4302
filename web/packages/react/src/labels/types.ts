import type { ComposerLabels } from "./composerEnglish.js";
import type { EnglishLabels } from "./english.js";
import type { MessageLabels } from "./messageEnglish.js";
import type { PanelLabels } from "./panelEnglish.js";

/**
 * Every text that the tray shows or speaks. Those of its panels, of the message box and of messages
 * may be left out, and are then English. A translation is an object of this type; to change a few
 * texts, pass them to `<AssistantTray labels={…}>`.
 */
export interface TrayLabels
  extends EnglishLabels, Partial<PanelLabels>, Partial<ComposerLabels>, Partial<MessageLabels> {}
