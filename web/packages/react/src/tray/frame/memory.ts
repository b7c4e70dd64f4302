import type { TrayLayout } from "./layout.js";

/** What the tray remembers between visits. */
export interface TrayMemory {
  open?: boolean;
  width?: number;
  layout?: TrayLayout;
}

const KEY = "pageside:tray";

/** Storage may be full, switched off or filled by others: then nothing is remembered. */
export function recall(): TrayMemory {
  try {
    const { open, width, layout } = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Record<string, unknown>;
    return {
      open: typeof open === "boolean" ? open : undefined,
      width: typeof width === "number" && Number.isFinite(width) ? width : undefined,
      layout: typeof layout === "string" ? (layout as TrayLayout) : undefined,
    };
  } catch {
    return {};
  }
}

export function remember(change: TrayMemory): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...recall(), ...change }));
  } catch {
    // A tray that forgets its width still works.
  }
}
