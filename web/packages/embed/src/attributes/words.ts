/** What a page declares in words reaches the model and the tray as a person reads it, and not at any length. */

/** The longest name or description, in bytes. */
const MOST = 2048;

/** Control and format characters, marks of direction, tags, what has no width; not the end of a line, nor what makes an emoji. */
const INVISIBLE = /(?!\n|\t|\uFE0F)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

const ELLIPSIS = "…"; // three bytes

/** A name or description without what is not seen, cut where it is longer than 2 KiB. */
export function brief(text: string): string {
  const visible = text.replace(INVISIBLE, "").trim();
  return room(visible, MOST) < visible.length ? visible.slice(0, room(visible, MOST - 3)) + ELLIPSIS : visible;
}

/** How many characters of a text fit into so many bytes. */
function room(text: string, bytes: number): number {
  return new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read;
}
