import { messageEnglish } from "./messageEnglish.js";
import type { TrayLabels } from "./types.js";
import { usePart } from "./useLabels.js";

/** The texts of the parts of messages that are loaded later, and of the tray around them. */
export const useMessageLabels = (): TrayLabels & typeof messageEnglish => usePart(messageEnglish);
