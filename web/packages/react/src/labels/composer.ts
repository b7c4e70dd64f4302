import { composerEnglish, type ComposerLabels } from "./composerEnglish.js";
import type { TrayLabels } from "./types.js";
import { usePart } from "./useLabels.js";

/** The texts of the message box and of the tray around it. */
export const useComposerLabels = (): TrayLabels & ComposerLabels => usePart(composerEnglish);
