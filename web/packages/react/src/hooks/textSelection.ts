/** What the user has selected. Loaded by `useTextSelection`. */

/** The longest selection that is reported, in characters. */
const MOST = 8000;

/** The assistant's own parts, in which selections are ignored. */
const OWN = ".ps-root, [data-pageside-ignore]";

/** Dragging changes a selection many times a second, so it is read after this many milliseconds. */
const MOMENT = 50;

/**
 * Calls the listener with the selected text inside the root whenever it changes, and with an empty
 * text when the selection is gone, until the signal is aborted. `root` is called each time, because
 * the element may come later.
 */
export function watchSelection(root: () => Node | null, listener: (text: string) => void, signal: AbortSignal): void {
  let isDue = false;
  let last = "";
  const look = () => {
    isDue = false;
    const within = root();
    const found = within ? selectedIn(within) : "";
    if (signal.aborted || found === undefined || found === last) return;
    last = found;
    listener(found);
  };
  const soon = () => {
    if (!isDue) setTimeout(look, MOMENT);
    isDue = true;
  };
  if (signal.aborted) return;
  for (const name of ["selectionchange", "select"]) document.addEventListener(name, soon, { signal, capture: true });
  soon();
}

/**
 * The text; `""` where nothing is selected, `undefined` where that says nothing: the user is in the
 * tray.
 */
function selectedIn(root: Node): string | undefined {
  const active = document.activeElement;
  if (active?.closest(OWN)) return undefined;
  const field = textOfField(active);
  if (field !== undefined) return root.contains(active) ? cut(field) : "";
  const selection = document.getSelection();
  if (!selection?.anchorNode || selection.rangeCount === 0) return "";
  const common = selection.getRangeAt(0).commonAncestorContainer;
  const element = common instanceof Element ? common : common.parentElement;
  if (element?.closest(OWN)) return undefined;
  return selection.isCollapsed || !root.contains(common) ? "" : cut(selection.toString());
}

/**
 * What is selected in the text field that has the focus: never of a password. Undefined if none
 * has.
 */
function textOfField(element: Element | null): string | undefined {
  if (element instanceof HTMLTextAreaElement) return selectedPart(element);
  if (!(element instanceof HTMLInputElement)) return undefined;
  if (element.type === "password") return "";
  return /^(text|search|url|tel|email)$/.test(element.type) ? selectedPart(element) : undefined;
}

function selectedPart({ value, selectionStart, selectionEnd }: HTMLInputElement | HTMLTextAreaElement): string {
  return value.slice(selectionStart ?? 0, selectionEnd ?? 0);
}

function cut(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= MOST) return trimmed;
  return `${trimmed.slice(0, MOST)}\n… (the first ${MOST} of ${trimmed.length} characters)`;
}
