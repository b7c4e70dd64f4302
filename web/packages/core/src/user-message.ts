/** What the user writes, as a message. */
import type { InputContent } from "@ag-ui/core";
import { compact } from "./compact.js";
import { writeMetadata } from "./protocol/pageside.js";
import type { Attachment } from "./types-page.js";
import type { Message, QueuedMessage } from "./types.js";

export function messageOf({ id, text, attachments = [], hidden }: QueuedMessage): Message {
  const content = attachments.length > 0 ? [...textPart(text), ...attachments.map(toPart)] : text;
  return compact({ id, role: "user", content, metadata: hidden && writeMetadata({ hidden }) });
}

/** The content of a message with other words: its attachments stay, unless there are others. */
export function withText(content: Message["content"], text: string, attachments?: readonly Attachment[]) {
  const old = Array.isArray(content) ? (content as InputContent[]).filter(({ type }) => type !== "text") : [];
  const files = attachments ? attachments.map(toPart) : old;
  return files.length > 0 ? [...textPart(text), ...files] : text;
}

function textPart(text: string): InputContent[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function toPart({ name, mimeType, data }: Attachment): InputContent {
  const [kind = ""] = mimeType.split("/");
  const type = /^(image|audio|video)$/.test(kind) ? (kind as "image" | "audio" | "video") : "document";
  return { type, source: { type: "data", value: data, mimeType }, metadata: { name } };
}
