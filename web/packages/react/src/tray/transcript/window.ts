import type { Turn } from "../turn/turns.js";

/** The number of last turns that are drawn when a thread opens: more than are in view. */
const AT_ONCE = 10;
/** At most so many are drawn because they are near the view, or because the reader left a mark. */
const MOST_NEAR = 46;
const MOST_TOUCHED = 10;
/** The last turns change with each question: they are always drawn. */
const LAST = 2;
/** The height of a turn that was never drawn, and the distance to the next: as in the styles. */
const UNKNOWN = 200;
const DISTANCE = 4;
/** What a turn would lose if it went: what is opened, edited, loaded or chosen in it. */
const TOUCHED = "form, textarea, img, [aria-expanded=true], [aria-pressed=true], [aria-busy=true], [role=alert]";

/** Which turns are drawn, by id, and how high the others were. */
export interface View {
  readonly drawn: ReadonlySet<string>;
  readonly heights: ReadonlyMap<string, number>;
}

/** What stands for turns that follow one another and are not drawn. */
export interface Gap {
  /** The id of the first of them. */
  gap: string;
  height: number;
}

/** What a thread opens with: its end. */
export const openingOf = (turns: readonly Turn[]): View => ({
  drawn: new Set(turns.slice(-AT_ONCE).map(({ id }) => id)),
  heights: new Map(),
});

/** The turns of a thread, those that are not drawn as gaps. `also` is drawn in any case. */
export function piecesOf(turns: readonly Turn[], { drawn, heights }: View, also?: string): (Turn | Gap)[] {
  const pieces: (Turn | Gap)[] = [];
  turns.forEach((turn, index) => {
    const last = pieces.at(-1);
    if (drawn.has(turn.id) || turn.id === also || index >= turns.length - LAST) pieces.push(turn);
    else if (last && "gap" in last) last.height += DISTANCE + heightOf(turn.id, heights);
    else pieces.push({ gap: turn.id, height: heightOf(turn.id, heights) });
  });
  return pieces;
}

const heightOf = (id: string, heights: View["heights"]) => heights.get(id) ?? UNKNOWN;

/** What should be drawn now. The same view where nothing changes. */
export function lookAt(content: HTMLElement, ids: readonly string[], before: View): View {
  const pieces = [...content.querySelectorAll<HTMLElement>(":scope > [data-turn]")];
  const heights = new Map(before.heights);
  for (const piece of pieces) if (!isGap(piece)) heights.set(idOf(piece), piece.getBoundingClientRect().height);
  const drawn = new Set(ids.slice(-LAST));
  const [from, to] = viewOf(content, pieces[0]);
  for (const id of near(ids, heights, from, to, before.drawn)) drawn.add(id);
  for (const id of [...touched(pieces, drawn), ...selected(pieces, ids)]) drawn.add(id);
  const isSame = drawn.size === before.drawn.size && [...drawn].every((id) => before.drawn.has(id));
  return isSame ? before : { drawn, heights };
}

const isGap = (piece: HTMLElement) => piece.dataset.gap !== undefined;
const idOf = (piece: HTMLElement) => piece.dataset.turn!;

/** Where the view begins and ends, counted from the first turn. */
function viewOf(content: HTMLElement, first: HTMLElement | undefined): [from: number, to: number] {
  const scroller = content.closest<HTMLElement>(".ps-scroller") ?? content;
  const from = scroller.getBoundingClientRect().top - (first?.getBoundingClientRect().top ?? 0);
  return [from, from + scroller.clientHeight];
}

/**
 * The turns at most a view away, and those up to two views away that are drawn already, so that a
 * small step back and forth changes nothing.
 */
export function near(
  ids: readonly string[],
  heights: View["heights"],
  from: number,
  to: number,
  drawn: ReadonlySet<string>,
): string[] {
  const reach = to - from;
  if (reach <= 0) return ids.slice(-MOST_NEAR); // there is no layout
  let top = 0;
  const found: { id: string; away: number }[] = [];
  for (const id of ids) {
    const bottom = top + heightOf(id, heights);
    const away = Math.max(from - bottom, top - to, 0);
    if (away <= (drawn.has(id) ? 2 * reach : reach)) found.push({ id, away });
    top = bottom + DISTANCE;
  }
  while (found.length > MOST_NEAR) {
    if (found[0]!.away >= found.at(-1)!.away) found.shift();
    else found.pop();
  }
  return found.map(({ id }) => id);
}

/** The drawn turns that would lose something, and the one with the focus. */
function touched(pieces: readonly HTMLElement[], drawn: ReadonlySet<string>): string[] {
  const leaving = pieces.filter((piece) => !isGap(piece) && !drawn.has(idOf(piece)));
  const changed = leaving.filter((piece) => piece.querySelector(TOUCHED)).slice(-MOST_TOUCHED);
  return [...changed, ...leaving.filter((piece) => piece.matches(":focus-within"))].map(idOf);
}

/** The turns that a selection spans, drawn or not: what is selected can be copied. */
function selected(pieces: readonly HTMLElement[], ids: readonly string[]): readonly string[] {
  const selection = selectionAround(pieces[0]);
  if (!selection || selection.isCollapsed) return [];
  const isIn = (piece: HTMLElement) => selection.containsNode(piece, true);
  const first = pieces.find(isIn);
  const behind = pieces[pieces.findLastIndex(isIn) + 1];
  return first ? ids.slice(ids.indexOf(idOf(first)), behind && ids.indexOf(idOf(behind))) : [];
}

/** A shadow root has a selection of its own, in browsers that tell of it. */
function selectionAround(element: HTMLElement | undefined): Selection | null {
  const root = element?.getRootNode() as Partial<Document> | undefined;
  return root?.getSelection?.() ?? document.getSelection();
}
