import { createContext, useContext } from "react";

/** The id of the plug-in that a part of the page belongs to. */
export const SourceContext = createContext<string | undefined>(undefined);

/** Who registers: what the caller says, or else the plug-in around. */
export function useSource(source: string | undefined): string | undefined {
  const around = useContext(SourceContext);
  return source ?? around;
}
