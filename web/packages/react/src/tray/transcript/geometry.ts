/** How near to the end counts as being there, in pixels. */
export const SLACK = 8;
/** Above a question that was brought to the top, and of a tall one what stays in view. */
const TOP_GAP = 12;
const TALL = 120;
/** Below the conversation, as the style sheet has it. */
export const END_GAP = 16;

/** The element of the last turn. */
export const lastTurn = (content: HTMLElement | null) =>
  content?.querySelector<HTMLElement>(":scope > [data-last]") ?? null;

/** How far the view is from the end, in pixels. */
export const distanceToEnd = (scroller: HTMLElement) =>
  scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;

/**
 * From the top of the last turn to the end: what is written grows here, and not where earlier turns
 * are drawn.
 */
export function tailOf(scroller: HTMLElement, content: HTMLElement | null): number {
  const last = lastTurn(content);
  if (!content || !last) return scroller.scrollHeight;
  return scroller.scrollHeight - (last.getBoundingClientRect().top - content.getBoundingClientRect().top);
}

/** Is the end of what is written in view? There may be room below it. */
export function seesEnd(scroller: HTMLElement, content: HTMLElement | null): boolean {
  if (distanceToEnd(scroller) <= SLACK) return true;
  const last = content?.lastElementChild?.getBoundingClientRect();
  return last !== undefined && last.height > 0 && last.bottom <= scroller.getBoundingClientRect().bottom + SLACK;
}

/** Where the view begins with a turn at its top; of a tall question only the end is in it. */
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
