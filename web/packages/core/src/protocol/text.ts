import type { Message } from "./types.js";

/** The text of a message's content; media parts have none. */
export function textOf(content: Message["content"] | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
