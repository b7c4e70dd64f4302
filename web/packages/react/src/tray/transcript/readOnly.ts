import { createContext } from "react";

/** Whether turns are only read: nothing in them can be edited, rated, decided or asked again. */
export const ReadOnlyContext = createContext(false);
