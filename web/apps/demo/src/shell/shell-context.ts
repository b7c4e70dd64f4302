import { createContext, use, useEffect, type ReactNode } from "react";
import { createPortal } from "react-dom";

/** What an application tells the tray beside it. */
export interface TrayTexts {
  pageName: string;
  placeholder?: string;
  suggestions?: readonly string[];
  toolLabels?: Readonly<Record<string, string>>;
}

interface Shell {
  /** The part of the top bar that belongs to the application. */
  slot: HTMLElement | null;
  setTray(texts: TrayTexts): void;
}

/** What the shell gives to the application in it. */
export const ShellContext = createContext<Shell>({ slot: null, setTray: () => undefined });

/** Shows its children in the top bar. */
export function TopBarSlot({ children }: { children: ReactNode }) {
  const { slot } = use(ShellContext);
  return slot && createPortal(children, slot);
}

/** Sets the tray's texts, compared by content. */
export function useTray(texts: TrayTexts): void {
  const { setTray } = use(ShellContext);
  const content = JSON.stringify(texts);
  useEffect(() => setTray(JSON.parse(content) as TrayTexts), [setTray, content]);
}
