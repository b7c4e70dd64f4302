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
  return compact({ id, role: "user", content, metadata: metadata || undefined });
}

export function textPart(text: string): InputContent[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

export function toPart({ name, mimeType, data }: Attachment): InputContent {
  const [kind = ""] = mimeType.split("/");
  const type = /^(image|audio|video)$/.test(kind) ? (kind as "image" | "audio" | "video") : "document";
  return { type, source: { type: "data", value: data, mimeType }, metadata: { name } };
}
