/** What the hooks that register something have in common. */
import { nextOrder } from "@pageside/core";
import { createContext, useContext, useState } from "react";

/**
 * Where a component stands among those that register the same name. Parents render before their
 * children, so the innermost component is the highest, and a later one is above those before it.
 */
export function useOrder(): number {
  const [order] = useState(nextOrder);
  return order;
}

/**
 * An id for a context entry. React's `useId` repeats itself from one root of a page to the next,
 * and roots may share a client.
 */
export function useContextId(): string {
  const [id] = useState(() => `context-${Math.random().toString(36).slice(2)}`);
  return id;
}

/** The id of the plug-in that a part of the page belongs to. */
export const SourceContext = createContext<string | undefined>(undefined);

/** The source of a registration: what the caller says, or else the plug-in around it. */
export function useSource(source: string | undefined): string | undefined {
  const around = useContext(SourceContext);
  return source ?? around;
}
