import { useEffect, useState, type RefObject } from "react";
import { useLatest } from "../../hooks/effects.js";
import { useElementEvent } from "../../ui/useElementEvent.js";

/**
 * Takes files that are pasted into the text, or dropped anywhere on the tray. Returns the element
 * that files are being dragged over. A tray that takes no files refuses them: else the browser
 * would leave the page to show what was dropped.
 */
export function useFileDrop(
  areaRef: RefObject<HTMLTextAreaElement | null>,
  isOn: boolean,
  onFiles: (files: Iterable<File>) => void,
): Element | undefined {
  const [target, setTarget] = useState<Element>();
  const latest = useLatest(onFiles);

  useElementEvent(areaRef, ["paste"], (event) => {
    const { clipboardData } = event;
    const files = [...(clipboardData?.files ?? [])];
    // A copied table includes a picture of itself, but the text is meant.
    if (!isOn || files.length === 0 || clipboardData?.types.includes("text/plain")) return;
    event.preventDefault();
    latest.current(files);
  });

  useEffect(() => {
    const area = areaRef.current;
    const zone = area?.closest<HTMLElement>(".ps-tray") ?? area?.closest<HTMLElement>(".ps-composer");
    if (!zone) return;
    let depth = 0;
    const leave = () => {
      depth = 0;
      setTarget(undefined);
    };
    const onDrag = (event: DragEvent) => {
      const { dataTransfer } = event;
      if (!dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      if (event.type === "dragover") dataTransfer.dropEffect = isOn ? "copy" : "none";
      else if (!isOn) return;
      else if (event.type === "dragenter") {
        depth++;
        setTarget(zone);
      } else if (event.type === "dragleave") {
        if (--depth <= 0) leave();
      } else {
        leave();
        latest.current([...dataTransfer.files]);
        areaRef.current?.focus();
      }
    };
    const names = ["dragenter", "dragover", "dragleave", "drop"] as const;
    for (const name of names) zone.addEventListener(name, onDrag);
    return () => {
      for (const name of names) zone.removeEventListener(name, onDrag);
    };
  }, [areaRef, isOn, latest]);

  return target;
}
