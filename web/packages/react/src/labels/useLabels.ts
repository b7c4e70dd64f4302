import { createContext, useContext } from "react";
import { english, type TrayLabels } from "./english.js";

/** The texts of the tray around a component; English where there is none. */
export const LabelsContext = createContext<TrayLabels>(english);

export const useLabels = (): TrayLabels => useContext(LabelsContext);
