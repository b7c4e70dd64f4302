import type { ThreadSnapshot } from "@pageside/core";
import {
  useDeferredValue,
  useEffect,
  useMemo,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from "react";
import { useAssistantContext } from "../../context.js";
import { useLayoutEffect } from "../../hooks/effects.js";
import { useMessageLabels } from "../../labels/messages.js";
import { IconButton } from "../../ui/Button.js";
import { ArrowDownIcon, ArrowUpIcon, CloseIcon } from "../../ui/icons.js";
import { watchSizes } from "../../ui/sizes.js";
import type { Turn } from "../turn/turns.js";
import { hitsIn, rangeOf, type Hit } from "./found.js";

/** The name of the highlight, as in the style sheet. */
const HIGHLIGHT = "ps-found";

/** The props of `<Find>`. */
export interface FindProps {
  turns: readonly Turn[];
  older: ThreadSnapshot["older"];
  toolLabels?: Readonly<Record<string, string>>;
  /** An element beside the turns. */
  mark: RefObject<HTMLElement | null>;
  /** The turn that is drawn because a match is in it. */
  shown: string | undefined;
  /** Has a turn drawn. */
  onShow: (id: string | undefined) => void;
  onClose: () => void;
}

/** Looks through the whole thread, which the browser cannot: most of it is not drawn. */
export function Find({ turns, older, toolLabels, mark, shown, onShow, onClose }: FindProps) {
  const labels = useMessageLabels();
  const { client } = useAssistantContext("Find");
  const [query, setQuery] = useState("");
  const wanted = useDeferredValue(query);
  const hits = useMemo(() => hitsIn(turns, wanted, toolLabels), [turns, wanted, toolLabels]);
  // Counted from the end, where a thread grows less than it does at its beginning.
  const [back, setBack] = useState(0);
  const at = hits.length - 1 - (back % Math.max(hits.length, 1));
  const hit = hits[at];
  useMarked(hit?.id === shown ? hit : undefined, wanted, mark);
  useEffect(() => onShow(hit?.id), [hit?.id, onShow]);
  useEffect(() => {
    if (older === "available") void client.loadOlder({ all: true });
  }, [client, older]);

  const step = (by: number) => setBack((back + by + hits.length) % Math.max(hits.length, 1));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || !["Enter", "Escape"].includes(event.key)) return;
    if (event.key === "Enter" && !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    if (event.key === "Escape") onClose();
    else step(event.shiftKey ? 1 : -1);
  };
  return (
    <div className="ps-find ps-row ps-tight" role="search" onKeyDown={onKeyDown}>
      <input
        type="search"
        className="ps-text-field ps-grow"
        dir="auto"
        autoFocus
        placeholder={labels.find}
        aria-label={labels.find}
        value={query}
        onChange={({ target }) => {
          setQuery(target.value);
          setBack(0);
        }}
      />
      <span className="ps-muted ps-text-xs" role="status">
        {older === "loading" ? labels.earlier("loading") : wanted.trim() && labels.found(at + 1, hits.length)}
      </span>
      <Step label={labels.findNext(true)} onClick={() => step(1)} icon={<ArrowUpIcon />} />
      <Step label={labels.findNext(false)} onClick={() => step(-1)} icon={<ArrowDownIcon />} />
      <Step label={labels.close} onClick={onClose} icon={<CloseIcon />} />
    </div>
  );
}

function Step({ label, icon, onClick }: { label: string; icon: ReactNode; onClick: () => void }) {
  return (
    <IconButton label={label} onClick={onClick}>
      {icon}
    </IconButton>
  );
}

/** Brings a match into view, and marks it. Its turn is drawn. */
function useMarked(hit: Hit | undefined, query: string, mark: FindProps["mark"]): void {
  const { id, nth = 0 } = hit ?? {};
  useLayoutEffect(() => {
    const content = mark.current?.parentElement;
    const pieces = [...(content?.querySelectorAll<HTMLElement>(":scope > [data-turn]") ?? [])];
    const turn = pieces.find(({ dataset }) => dataset.turn === id && dataset.gap === undefined);
    if (!content || !turn) return;
    const range = rangeOf(turn, query, nth);
    const release = keepInView(range?.startContainer.parentElement ?? turn, content);
    highlight(range);
    return () => {
      release();
      highlight(undefined);
    };
  }, [id, nth, query, mark]);
}

/**
 * Brings an element into the middle of the view, and again while the turns around it are drawn and
 * get their heights, until the reader moves. Returns what ends it.
 */
function keepInView(element: Element, content: HTMLElement): () => void {
  const center = () => element.scrollIntoView?.({ block: "center" });
  center();
  const ended = new AbortController();
  ended.signal.addEventListener("abort", watchSizes(center, content));
  const scroller = content.closest(".ps-scroller") ?? content;
  const moves = (event: Event) => (event.target as Element).closest(".ps-find") || ended.abort();
  for (const input of ["wheel", "touchmove", "pointerdown", "keydown"])
    scroller.addEventListener(input, moves, { signal: ended.signal, passive: true });
  return () => ended.abort();
}

/** Browsers without highlights show the place alone. */
function highlight(range: Range | undefined): void {
  if (typeof Highlight === "undefined") return;
  CSS.highlights.delete(HIGHLIGHT);
  if (range) CSS.highlights.set(HIGHLIGHT, new Highlight(range));
}
