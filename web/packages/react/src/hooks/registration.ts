/** What the registering hooks share. */
import { nextOrder } from "@pageside/core";
import { createContext, useContext, useState } from "react";

/**
 * A component's rank among those that register the same name. Parents render before their children,
 * so inner components rank above outer ones, and later ones above earlier ones.
 */
export function useOrder(): number {
  const [order] = useState(nextOrder);
  return order;
}

/**
 * An id for a context entry. React's `useId` is unique only within one root, and roots may share a
 * client.
 */
export function useContextId(): string {
  const [id] = useState(() => `context-${Math.random().toString(36).slice(2)}`);
  return id;
}

/** The id of the plug-in that a part of the page belongs to. */
export const SourceContext = createContext<string | undefined>(undefined);

/** The source of a registration: the caller's, or else the plug-in around it. */
export function useSource(source: string | undefined): string | undefined {
  const around = useContext(SourceContext);
  return source ?? around;
}
