import { createContext, useContext, useEffect, useRef, useState, type RefObject } from "react";
import { flushSync } from "react-dom";

/** The number of last turns that are drawn when a thread opens: more than are in view. */
const AT_ONCE = 10;
/** The longest that drawing a turn takes, in milliseconds. */
const ONE_MS = 4;
/** On a page that is never idle, the next turn is drawn after so many milliseconds. */
const PATIENCE_MS = 200;

/** A turn that is not drawn, by the element that keeps its room. */
interface Slot {
  id: string;
  element: Element;
  draw: () => void;
}

/**
 * The turns of a thread that are still to be drawn: a long thread opens with its end. Each of the
 * others has a slot, as high as a turn out of view. Slots are drawn in idle time, from the end to
 * the beginning; one that comes near the view is drawn at once.
 */
export class Backlog {
  readonly #late: Set<string>;
  #first: string | undefined;
  #slots: Slot[] = [];
  #observer: IntersectionObserver | undefined;
  #stop: (() => void) | undefined;

  /** `ids` are those of all turns that a thread is opened with. */
  constructor(ids: readonly string[] = []) {
    this.#late = new Set(ids.slice(0, -AT_ONCE));
    this.#first = ids[0];
  }

  /** Takes over turns that have come before the first one. Only the nearest are drawn at once. */
  grow(turns: readonly { id: string }[]): void {
    if (turns[0]?.id === this.#first) return;
    const count = turns.findIndex(({ id }) => id === this.#first);
    this.#first = turns[0]?.id;
    for (const { id } of turns.slice(0, Math.max(0, count - AT_ONCE))) this.#late.add(id);
  }

  /** Reports whether a turn is still to be drawn. */
  isLate(id: string): boolean {
    return this.#late.has(id);
  }

  /** Calls `draw` when the turn may be drawn. The function undoes it. */
  add(id: string, element: Element, draw: () => void): () => void {
    const slot = { id, element, draw };
    this.#slots.push(slot);
    this.#watch(element);
    this.#stop ??= whenIdle((hasTime) => this.#work(hasTime));
    return () => this.#leave(slot);
  }

  #watch(element: Element): void {
    if (typeof IntersectionObserver === "undefined") return;
    this.#observer ??= new IntersectionObserver((entries) => this.#drawNear(entries), {
      root: element.closest(".ps-scroller"),
      rootMargin: "100% 0px",
    });
    this.#observer.observe(element);
  }

  #drawNear(entries: readonly IntersectionObserverEntry[]): void {
    const near = new Set(entries.filter((entry) => entry.isIntersecting).map(({ target }) => target));
    this.#draw(this.#slots.filter(({ element }) => near.has(element)));
  }

  #work(hasTime: () => boolean): void {
    this.#stop = undefined;
    do this.#draw(this.#slots.slice(-1));
    while (this.#slots.length > 0 && hasTime());
    if (this.#slots.length > 0) this.#stop ??= whenIdle((hasTime) => this.#work(hasTime));
  }

  #draw(slots: readonly Slot[]): void {
    for (const { id } of slots) this.#late.delete(id);
    // Synchronously, to measure the time and to avoid showing an empty slot.
    if (slots.length > 0) flushSync(() => slots.forEach(({ draw }) => draw()));
  }

  #leave(slot: Slot): void {
    this.#slots = this.#slots.filter((other) => other !== slot);
    this.#observer?.unobserve(slot.element);
    if (this.#slots.length > 0) return;
    this.#stop?.();
    this.#observer?.disconnect();
    this.#stop = this.#observer = undefined;
  }
}

/** Calls `work` once the browser has nothing else to do. Returns what cancels it. */
function whenIdle(work: (hasTime: () => boolean) => void): () => void {
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(() => work(() => false));
    return () => clearTimeout(timer);
  }
  const id = requestIdleCallback((deadline) => work(() => deadline.timeRemaining() > ONE_MS), { timeout: PATIENCE_MS });
  return () => cancelIdleCallback(id);
}

/** The backlog of the thread around; an empty one where there is none. */
export const BacklogContext = createContext(new Backlog());

/** The ref for the slot of a turn; undefined once the turn may be drawn. */
export function useSlot(id: string): RefObject<HTMLDivElement | null> | undefined {
  const backlog = useContext(BacklogContext);
  const [isLate, setLate] = useState(() => backlog.isLate(id));
  const slot = useRef<HTMLDivElement>(null);
  useEffect(
    () => (isLate && slot.current ? backlog.add(id, slot.current, () => setLate(false)) : undefined),
    [backlog, id, isLate],
  );
  return isLate ? slot : undefined;
}
