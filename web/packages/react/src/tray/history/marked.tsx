import type { ReactNode } from "react";

/**
 * A text in which the words that were searched for are marked, where a word begins with one of
 * them.
 */
export function marked(text: string, query: string): ReactNode[] {
  const words = query.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  if (words.length === 0) return [text];
  const found = new RegExp(`(?<![\\p{L}\\p{N}])(${words.join("|")})`, "giu");
  // Every second part is what stood in the parentheses.
  return text.split(found).map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part));
}
