import { createContext, useContext, useMemo } from "react";
import { english } from "./english.js";
import type { TrayLabels } from "./types.js";

/** The texts of the tray around a component; English if there is none. */
export const LabelsContext = createContext<TrayLabels>(english);

/** The texts of the tray around the component. */
export const useLabels = (): TrayLabels => useContext(LabelsContext);

/** The same with the English texts of a part, for those that the tray's language leaves out. */
export function usePart<Texts>(texts: Texts): TrayLabels & Texts {
  const labels = useLabels();
  return useMemo(() => ({ ...texts, ...labels }), [texts, labels]);
}
