import { useEffect, useState } from "react";
import { useLabels } from "../labels/useLabels.js";
import { CheckIcon, CopyIcon } from "./icons.js";

const SHOWN_MS = 2000;

/** Copies a text and says so for two seconds. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { copied } = useLabels();
  const [done, setDone] = useState(false);

  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [done]);

  const name = done ? copied : label;
  return (
    <button
      type="button"
      className="ps-icon-button ps-small"
      aria-label={name}
      title={name}
      data-done={done || undefined}
      onClick={async () => setDone(await copy(text))}
    >
      {done ? <CheckIcon /> : <CopyIcon />}
    </button>
  );
}

/** Writes to the clipboard; false if the browser or the page's policy refuses. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** For pages without TLS, which have no clipboard API. */
function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.style.cssText = "position:fixed;opacity:0";
  const focused = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement;
  document.body.append(area);
  area.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
