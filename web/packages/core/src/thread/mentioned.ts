import { findMentions } from "../page/mentions.js";
import type { Message } from "../protocol/types.js";
import type { Session } from "./session.js";

/** The context entries that a message mentions: those given, and those that its text names. */
export function mentionedIn({ shared }: Session, { content }: Message, given: readonly string[]): readonly string[] {
  const parts = Array.isArray(content) ? content : [{ type: "text", text: content }];
  const text = parts.map((part) => ("text" in part && typeof part.text === "string" ? part.text : "")).join("\n");
  return [...new Set([...given, ...findMentions(text, shared.context.list()).map(({ id }) => id)])];
}
