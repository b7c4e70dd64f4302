import type { ThreadSnapshot } from "@pageside/core";
import { useEffect, useRef, useState, type RefObject } from "react";
import { useAssistantContext } from "../../context.js";
import { useLabels } from "../../labels/useLabels.js";
import { Button } from "../../ui/Button.js";

/** Earlier turns are loaded before the reader comes to the first one: so many pixels. */
const AHEAD = "600px 0px 0px";

/**
 * Above the first turn of a long thread: loads what is older when the reader comes near, or by its
 * button. Screen readers are told.
 */
export function Older({ older }: Pick<ThreadSnapshot, "older">) {
  const { client } = useAssistantContext("Older");
  const labels = useLabels();
  const row = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [said, setSaid] = useState("");

  const load = async () => {
    const hadFocus = button.current?.matches(":focus");
    const scroller = row.current?.closest<HTMLElement>(".ps-scroller");
    setSaid(labels.earlier("loading"));
    await client.loadOlder();
    const after = client.getSnapshot().older;
    setSaid(labels.earlier(after === "failed" ? "failed" : "loaded"));
    if (hadFocus && !after) scroller?.focus({ preventScroll: true }); // the button has gone
  };
  useNear(row, older === "available", load);

  return (
    <div className="ps-older" ref={row} data-empty={older ? undefined : true}>
      {older && (
        <Button
          look="ghost"
          ref={button}
          aria-disabled={older === "loading" || undefined}
          onClick={() => older !== "loading" && void load()}
        >
          {labels.earlier(older)}
        </Button>
      )}
      <span className="ps-sr-only" role="status">
        {said}
      </span>
    </div>
  );
}

/** Calls `load` when the element comes near the view, and again after each change of `isWanted`. */
function useNear(row: RefObject<HTMLElement | null>, isWanted: boolean, load: () => Promise<void>): void {
  const latest = useRef(load);
  useEffect(() => {
    latest.current = load;
  });
  useEffect(() => {
    if (!isWanted || !row.current || typeof IntersectionObserver === "undefined") return;
    const root = row.current.closest(".ps-scroller");
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && void latest.current(),
      { root, rootMargin: AHEAD },
    );
    observer.observe(row.current);
    return () => observer.disconnect();
  }, [row, isWanted]);
}
