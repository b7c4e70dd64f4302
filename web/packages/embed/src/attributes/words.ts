/**
 * Names and descriptions that a page declares, without invisible characters and of bounded length.
 */

/** The longest name or description, in bytes. */
const MOST = 2048;

/**
 * Control and format characters, direction marks, tags, zero-width characters; but not line ends,
 * tabs and the variation selector of emoji.
 */
const INVISIBLE = /(?!\n|\t|\uFE0F)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

const ELLIPSIS = "…"; // three bytes

/** The text without invisible characters, cut to 2 KiB. */
export function brief(text: string): string {
  const visible = text.replace(INVISIBLE, "").trim();
  return room(visible, MOST) < visible.length ? visible.slice(0, room(visible, MOST - 3)) + ELLIPSIS : visible;
}

/** How many characters of a text fit into so many bytes. */
function room(text: string, bytes: number): number {
  return new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read;
}
