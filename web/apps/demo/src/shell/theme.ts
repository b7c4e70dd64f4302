import { Store, useStore } from "../ui/store.ts";

/** The themes there are. */
export type Theme = "light" | "dark";

/*
 * The system's theme until the user chooses the other one. The choice is stored, and is the root
 * element's `data-theme`, where the style sheets of the page and of the tray find it.
 */

const key = "discover.theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const systemTheme = (): Theme => (system.matches ? "dark" : "light");
const current = new Store(systemTheme());

/** Applies an earlier choice, or follows the system. */
export function restoreTheme(): void {
  const follow = () => apply((localStorage.getItem(key) as Theme | null) ?? systemTheme());
  system.addEventListener("change", follow);
  follow();
}

/** The current theme, and how to change it. */
export const useTheme = (): [Theme, (theme: Theme) => void] => [useStore(current), choose];

function choose(theme: Theme): void {
  if (theme === systemTheme()) localStorage.removeItem(key);
  else localStorage.setItem(key, theme);
  apply(theme);
}

function apply(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  current.set(theme);
}
