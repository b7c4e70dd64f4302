import { createContext, useContext, useEffect, useRef, useState, type RefObject } from "react";
import { flushSync } from "react-dom";

/** So many turns, at the end of a thread, are drawn when it is opened: more than are in view. */
const AT_ONCE = 10;
/** Drawing one turn takes so long, or less, in milliseconds. */
const ONE_MS = 4;
/** On a page that is never idle, the next turn is drawn after so many milliseconds. */
const PATIENCE_MS = 200;

interface Place {
  id: string;
  element: Element;
  draw: () => void;
}

/**
 * The turns of a thread that are still to be drawn, for a long thread opens with its end. The
 * others have a place, as high as turns out of view are, and are drawn in idle time, from the end
 * to the beginning; what comes near the view is drawn at once.
 */
export class Backlog {
  readonly #late: Set<string>;
  #places: Place[] = [];
  #observer: IntersectionObserver | undefined;
  #stop: (() => void) | undefined;

  /** `ids` are those of all turns that a thread is opened with. */
  constructor(ids: readonly string[] = []) {
    this.#late = new Set(ids.slice(0, -AT_ONCE));
  }

  isLate(id: string): boolean {
    return this.#late.has(id);
  }

  /** Calls `draw` when it is the turn of it. Those above come first. Returns what takes it back. */
  add(id: string, element: Element, draw: () => void): () => void {
    const place = { id, element, draw };
    this.#places.push(place);
    this.#watch(element);
    this.#stop ??= whenIdle((hasTime) => this.#work(hasTime));
    return () => this.#leave(place);
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
    this.#draw(this.#places.filter(({ element }) => near.has(element)));
  }

  #work(hasTime: () => boolean): void {
    this.#stop = undefined;
    do this.#draw(this.#places.slice(-1));
    while (this.#places.length > 0 && hasTime());
    if (this.#places.length > 0) this.#stop ??= whenIdle((hasTime) => this.#work(hasTime));
  }

  #draw(places: readonly Place[]): void {
    for (const { id } of places) this.#late.delete(id);
    // Now, so that the time it takes is seen, and nobody sees an empty place.
    if (places.length > 0) flushSync(() => places.forEach(({ draw }) => draw()));
  }

  #leave(place: Place): void {
    this.#places = this.#places.filter((other) => other !== place);
    this.#observer?.unobserve(place.element);
    if (this.#places.length > 0) return;
    this.#stop?.();
    this.#observer?.disconnect();
    this.#stop = this.#observer = undefined;
  }
}

/** Calls `work` once the browser has nothing else to do. Returns what calls it off. */
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

/** Where a turn will stand, for its element, as long as it is not drawn. */
export function usePlace(id: string): RefObject<HTMLDivElement | null> | undefined {
  const backlog = useContext(BacklogContext);
  const [isLate, setLate] = useState(() => backlog.isLate(id));
  const place = useRef<HTMLDivElement>(null);
  useEffect(
    () => (isLate && place.current ? backlog.add(id, place.current, () => setLate(false)) : undefined),
    [backlog, id, isLate],
  );
  return isLate ? place : undefined;
}
