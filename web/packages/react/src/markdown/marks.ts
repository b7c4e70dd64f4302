import { createContext, type ReactNode } from "react";

/** Draws the marks of sources in a text, such as `[1]`; without one they stay text. */
export const MarksContext = createContext<((text: string) => ReactNode) | undefined>(undefined);
