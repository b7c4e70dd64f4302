import { useDiscover } from "../app/discover-context.ts";
import type { ViewPart } from "../state/view.ts";

/**
 * Attributes that make an element flash once when the assistant changed this part. Two names take
 * turns, because an animation starts again only under another name.
 */
export function useFlash(part: ViewPart): { "data-flash"?: "a" | "b" } {
  const { flash } = useDiscover().snapshot;
  return flash.parts.includes(part) ? { "data-flash": flash.seq % 2 === 0 ? "a" : "b" } : {};
}
