import { panelEnglish, type PanelLabels } from "./panelEnglish.js";
import type { TrayLabels } from "./types.js";
import { usePart } from "./useLabels.js";

/** The texts of the panels, and of the tray around them. */
export const usePanelLabels = (): TrayLabels & PanelLabels => usePart(panelEnglish);
