import { questionEnglish, type QuestionLabels } from "./questionEnglish.js";
import type { TrayLabels } from "./types.js";
import { usePart } from "./useLabels.js";

/** The texts of the cards that ask, and of the tray around them. */
export const useQuestionLabels = (): TrayLabels & QuestionLabels => usePart(questionEnglish);
