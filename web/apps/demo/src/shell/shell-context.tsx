import { createContext, useContext, useEffect, type ReactNode } from "react";
import { createPortal } from "react-dom";

/** What an application says about itself to the tray beside it. */
export interface TrayTexts {
  pageName: string;
  placeholder?: string;
  suggestions?: readonly string[];
  toolLabels?: Readonly<Record<string, string>>;
}

export interface ShellHandle {
  /** The place in the top bar for what the application shows there. */
  slot: HTMLElement | null;
  setTray(texts: TrayTexts): void;
}

export const ShellContext = createContext<ShellHandle | null>(null);

function useShell(): ShellHandle {
  const shell = useContext(ShellContext);
  if (!shell) throw new Error("An application must be rendered inside the shell.");
  return shell;
}

/** Shows its children in the top bar. */
export function TopBarSlot({ children }: { children: ReactNode }) {
  const { slot } = useShell();
  return slot && createPortal(children, slot);
}

/** Sets the tray's texts, compared by content. */
export function useTray(texts: TrayTexts): void {
  const { setTray } = useShell();
  const content = JSON.stringify(texts);
  useEffect(() => setTray(JSON.parse(content) as TrayTexts), [setTray, content]);
}

/** The document's title, as long as the component is mounted. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
  }, [title]);
}
