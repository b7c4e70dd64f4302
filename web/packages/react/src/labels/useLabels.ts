import { createContext, useContext } from "react";
import { english } from "./english.js";
import type { TrayLabels } from "./types.js";

/** The texts of the tray around a component; English if there is none. */
export const LabelsContext = createContext<TrayLabels>(english);

/** The texts of the tray around the component. */
export const useLabels = (): TrayLabels => useContext(LabelsContext);
