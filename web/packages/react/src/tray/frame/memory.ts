/** What the tray remembers between visits. */
interface TrayMemory {
  open?: boolean;
  width?: number;
  layout?: string;
}

const KEY = "pageside:tray";

/** What is remembered; nothing if storage is off or holds something else. */
export function recall(): TrayMemory {
  try {
    const { open, width, layout }: Record<string, unknown> = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return {
      open: typeof open === "boolean" ? open : undefined,
      width: typeof width === "number" && Number.isFinite(width) ? width : undefined,
      layout: typeof layout === "string" ? layout : undefined,
    };
  } catch {
    return {};
  }
}

/** Adds to what is remembered. */
export function remember(change: TrayMemory): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...recall(), ...change }));
  } catch {
    // A tray that forgets its width still works.
  }
}
