import type { Attachment } from "@pageside/core";

/** A file of the message being written. */
export interface AddedFile {
  /** An id made in this page, which the attachment shares. */
  id: string;
  /** The thread whose message it goes with. */
  threadId: string;
  /** The name of the file. */
  name: string;
  /** In bytes. */
  size: number;
  /** The file's type, according to the browser. */
  mimeType: string;
  /** 0 to 1, while it is read. */
  progress: number;
  /** Set once it is read. */
  attachment?: Attachment;
  /**
   * An image to look at, as a `data:` address: pages that forbid `blob:` show it too. Empty while
   * it is read.
   */
  preview?: string;
}

const isShown = (type: string) => /^image\/(?:png|jpeg|gif|webp|avif)$/.test(type);

/** A file that was read. */
export function toAdded(attachment: Attachment, threadId: string): AddedFile {
  const { id, name, size, mimeType, data } = attachment;
  const preview = isShown(mimeType) ? `data:${mimeType};base64,${data}` : undefined;
  return { id, threadId, name, size, mimeType, progress: 1, attachment, ...(preview && { preview }) };
}

/** A file that is yet to be read. */
export function toBeRead({ name, size, type: mimeType }: File, threadId: string): AddedFile {
  const id = `file-${Math.random().toString(36).slice(2)}`;
  return { id, threadId, name, size, mimeType, progress: 0, ...(isShown(mimeType) && { preview: "" }) };
}
