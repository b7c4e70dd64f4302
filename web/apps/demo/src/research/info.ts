import { createContext, useContext } from "react";
import type { ResearchInfo } from "./types.ts";

export const InfoContext = createContext<ResearchInfo | undefined>(undefined);

/** What the library holds; undefined until it is loaded. */
export const useInfo = () => useContext(InfoContext);
