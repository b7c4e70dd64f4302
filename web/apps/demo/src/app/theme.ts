import { useSyncExternalStore } from "react";

export type Theme = "light" | "dark";

/*
 * The system's theme until the user chooses the other one. The choice is kept, and stands on the
 * root element as `data-theme`, where the style sheets of the page and of the tray find it.
 */

const key = "discover.theme";
const system = () => matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

/** Puts an earlier choice in force. */
export function restoreTheme(): void {
  const kept = read();
  document.documentElement.dataset.theme = kept ?? systemTheme();
  system().addEventListener("change", () => {
    if (!read()) apply(systemTheme());
  });
}

/** The theme in force, and how to change to the other one. */
export function useTheme(): [Theme, () => void] {
  const theme = useSyncExternalStore(subscribe, current);
  return [theme, () => choose(current() === "dark" ? "light" : "dark")];
}

function current(): Theme {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

function systemTheme(): Theme {
  return system().matches ? "dark" : "light";
}

function choose(theme: Theme): void {
  try {
    if (theme === systemTheme()) localStorage.removeItem(key);
    else localStorage.setItem(key, theme);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  apply(theme);
}

function apply(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  for (const listener of listeners) listener();
}

function read(): Theme | null {
  try {
    const kept = localStorage.getItem(key);
    return kept === "light" || kept === "dark" ? kept : null;
  } catch {
    return null;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
