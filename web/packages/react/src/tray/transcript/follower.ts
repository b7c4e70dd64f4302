import { watchSizes } from "../../ui/sizes.js";
import { distanceToEnd, END_GAP, lastTurn, scrollTo, seesEnd, SLACK, stop, tailOf, topOf } from "./geometry.js";
import { keepPress } from "./press.js";

/** A disclosure has opened or closed after this many milliseconds. */
const HOLD_MS = 400;

/** Called with the view's position. `unseen`: something new is below it. */
export type Tell = (atEnd: boolean, unseen?: boolean) => void;

/** Moves the transcript, and remembers where it stood. `useFollow` says how it should. */
export class Follower {
  #tell: Tell;
  #scroller: HTMLElement | null = null;
  #content: HTMLElement | null = null;
  #following = true;
  #hasBegun = false;
  /** The turn that was brought to the top. */
  #asked: HTMLElement | null = null;
  /** At the last look: where the view began, the height of all, and that from the last turn on. */
  #top = 0;
  #height = 0;
  #tail = 0;
  /** The space left below the conversation for an answer. */
  #room = 0;
  #heldUntil = 0;

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  /** Begins to watch the elements. Returns what ends it. */
  watch(scroller: HTMLElement, content: HTMLElement): () => void {
    this.#take(scroller, content);
    const ended = new AbortController();
    const press = (event: PointerEvent) => {
      stop(scroller);
      keepPress(event);
    };
    scroller.addEventListener("pointerdown", press, { signal: ended.signal, capture: true });
    ended.signal.addEventListener(
      "abort",
      watchSizes(() => this.#resized(scroller), scroller, content),
    );
    return () => ended.abort();
  }

  /** A thread was opened, or a question asked. */
  begin(scroller: HTMLElement, content: HTMLElement, asking: boolean): void {
    this.#take(scroller, content);
    this.#asked = this.#hasBegun && asking ? lastTurn(content) : null;
    this.#hasBegun = true;
    this.#following = !this.#asked;
    this.#reserve(0);
    if (this.#asked) this.#bringToTop(scroller, this.#asked);
    else this.#jump(scroller);
  }

  /** The position changed, because of the reader or the text. */
  scrolled(): void {
    const scroller = this.#scroller;
    if (!scroller) return;
    // Content that shrinks pulls the position up too; that is not the reader.
    const movedUp = scroller.scrollTop < this.#top - 1 && scroller.scrollHeight >= this.#height;
    const movedDown = scroller.scrollTop > this.#top;
    this.#remember(scroller);
    if (movedUp) this.#following = false;
    const near = distanceToEnd(scroller) <= SLACK;
    // The end of the room below an answer is not the end of the answer. And an end that came up to
    // the view by itself does not mean that the reader wants to follow.
    if (near && !movedUp && this.#room === 0 && (movedDown || this.#following)) this.#arrive();
    else if (near || movedUp) this.#tell(seesEnd(scroller, this.#content));
  }

  goToEnd(): void {
    this.#asked = null;
    this.#reserve(0);
    if (this.#scroller) scrollTo(this.#scroller, this.#scroller.scrollHeight);
    this.#arrive();
  }

  /** Stays where it is while something changes its height. */
  hold(): void {
    this.#heldUntil = performance.now() + HOLD_MS;
  }

  #take(scroller: HTMLElement, content: HTMLElement): void {
    this.#scroller = scroller;
    this.#content = content;
  }

  #resized(scroller: HTMLElement): void {
    const held = performance.now() < this.#heldUntil;
    this.#keepRoom(scroller, held);
    if (held && scroller.scrollTop < this.#top) scroller.scrollTop = this.#top;
    if (held) this.#following = distanceToEnd(scroller) <= SLACK && this.#room === 0;
    const grown = tailOf(scroller, this.#content) > this.#tail + 1;
    if (this.#following) return this.#jump(scroller);
    this.#measure(scroller);
    this.#tell(seesEnd(scroller, this.#content), grown && !held);
  }

  #arrive(): void {
    this.#following = true;
    this.#asked = null;
    this.#tell(true);
  }

  #jump(scroller: HTMLElement): void {
    scroller.scrollTop = scroller.scrollHeight;
    this.#remember(scroller);
  }

  #bringToTop(scroller: HTMLElement, turn: HTMLElement): void {
    const top = topOf(turn, scroller);
    this.#reserve(top + scroller.clientHeight);
    this.#measure(scroller);
    scrollTo(scroller, top);
  }

  /**
   * Room below the turn that was brought to the top; what closes below the reader must not pull the
   * text down.
   */
  #keepRoom(scroller: HTMLElement, held: boolean): void {
    // The part that draws turns has arrived and drawn this one anew.
    if (this.#asked && !this.#asked.isConnected) this.#asked = lastTurn(this.#content);
    const until = this.#asked ? topOf(this.#asked, scroller) + scroller.clientHeight : 0;
    this.#reserve(held ? Math.max(until, this.#top + scroller.clientHeight) : until);
  }

  /** Makes the conversation long enough for the view to end at `until`. */
  #reserve(until: number): void {
    const content = this.#content;
    const last = content?.lastElementChild;
    if (!content || !last) return;
    const height = last.getBoundingClientRect().bottom - content.getBoundingClientRect().top + END_GAP;
    this.#room = Math.max(0, Math.ceil(until - height));
    content.style.paddingBlockEnd = this.#room ? `${this.#room + END_GAP}px` : "";
  }

  #remember(scroller: HTMLElement): void {
    this.#top = scroller.scrollTop;
    this.#measure(scroller);
  }

  #measure(scroller: HTMLElement): void {
    this.#height = scroller.scrollHeight;
    this.#tail = tailOf(scroller, this.#content);
  }
}
