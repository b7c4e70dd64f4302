/** How near to the end counts as being there, in pixels. */
export const SLACK = 8;
/** The gap above a question at the top, and how much of a tall one stays in view, in pixels. */
const TOP_GAP = 12;
const TALL = 120;
/** The padding below the conversation, as in the style sheet. */
export const END_GAP = 16;

/** The element of the last turn. */
export const lastTurn = (content: HTMLElement | null) =>
  content?.querySelector<HTMLElement>(":scope > [data-last]") ?? null;

/** How far the view is from the end, in pixels. */
export const distanceToEnd = (scroller: HTMLElement) =>
  scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;

/** The height from the last turn on. It grows with what is written, not with earlier turns. */
export function tailOf(scroller: HTMLElement, content: HTMLElement | null): number {
  const last = lastTurn(content);
  if (!content || !last) return scroller.scrollHeight;
  return scroller.scrollHeight - (last.getBoundingClientRect().top - content.getBoundingClientRect().top);
}

/**
 * Reports whether the end of what is written is in view. There may be room below it, and
 * suggestions. The button that leads to the end takes its room from the view: without it the view
 * ends where the transcript does.
 */
export function seesEnd(scroller: HTMLElement, content: HTMLElement | null): boolean {
  if (distanceToEnd(scroller) <= SLACK) return true;
  const last = content?.lastElementChild;
  const written = last?.matches(".ps-suggested") ? last.previousElementSibling : last;
  const end = written?.getBoundingClientRect();
  const view = (scroller.parentElement ?? scroller).getBoundingClientRect();
  return end !== undefined && end.height > 0 && end.bottom <= view.bottom + SLACK;
}

/** The scroll position with a turn at the top. Of a tall question only the end is in view. */
export function topOf(turn: HTMLElement, scroller: HTMLElement): number {
  const from = scroller.getBoundingClientRect().top - scroller.scrollTop;
  const question = (turn.querySelector(".ps-bubble") ?? turn).getBoundingClientRect();
  const tall = turn.querySelector(".ps-bubble") && question.height > TALL;
  const top = tall ? question.bottom - TALL : turn.getBoundingClientRect().top - TOP_GAP;
  return Math.max(0, Math.round(top - from));
}

/** Scrolls, smoothly unless the reader wants less motion. */
export function scrollTo(scroller: HTMLElement, top: number): void {
  const still = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches;
  scroller.scrollTo?.({ top, behavior: still ? "auto" : "smooth" });
}

/** Ends a smooth movement. */
export function stop(scroller: HTMLElement): void {
  scroller.scrollTo?.({ top: scroller.scrollTop, behavior: "instant" });
}
