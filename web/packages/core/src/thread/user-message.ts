/** The user's text as a message. */
import type { InputContent } from "@ag-ui/core";
import { compact } from "../base/values.js";
import { writeMetadata } from "../protocol/pageside.js";
import type { Attachment, Message } from "../protocol/types.js";
import type { QueuedMessage } from "./types.js";

/** The message of a queued one. */
export function messageOf({ id, text, attachments = [], hidden, suggested }: QueuedMessage): Message {
  const content = attachments.length > 0 ? [...textPart(text), ...attachments.map(toPart)] : text;
  const metadata = (hidden || suggested) && writeMetadata(compact({ hidden, suggested }));
  return compact({ id, role: "user", content, metadata });
}

/** The content of a message with another text. Its attachments stay unless new ones are given. */
export function withText(content: Message["content"], text: string, attachments?: readonly Attachment[]) {
  const old = Array.isArray(content) ? content.filter(({ type }) => type !== "text") : [];
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
