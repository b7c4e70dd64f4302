import type { Attachment } from "@pageside/core";
import { useEffect, useMemo, useRef, useState } from "react";
import { DEFAULT_LIMITS, readAttachment, rejectionOf, type AttachmentLimits, type Rejection } from "./attachments.js";

/** A file that is to go with the message. */
export interface AddedFile {
  id: string;
  /** The thread whose message it goes with. */
  threadId: string;
  name: string;
  size: number;
  mimeType: string;
  /** 0 to 1, while it is read. */
  progress: number;
  /** Set once it is read. */
  attachment?: Attachment;
  /** An image to look at, as a `data:` address: pages that forbid `blob:` show it too. Empty while it is read. */
  preview?: string;
}

export interface Attachments {
  files: readonly AddedFile[];
  rejections: readonly Rejection[];
  limits: Required<AttachmentLimits>;
  add: (files: Iterable<File>) => void;
  remove: (id: string) => void;
  /** Takes all out, read as they are. */
  take: () => Attachment[];
  /** Puts back what was taken. */
  restore: (attachments: readonly Attachment[]) => void;
  dismiss: () => void;
}

const isShown = (type: string) => /^image\/(?:png|jpeg|gif|webp|avif)$/.test(type);

let count = 0;

function toAdded(attachment: Attachment, threadId: string): AddedFile {
  const { id, name, size, mimeType, data } = attachment;
  const preview = isShown(mimeType) ? `data:${mimeType};base64,${data}` : undefined;
  return { id, threadId, name, size, mimeType, progress: 1, attachment, ...(preview && { preview }) };
}

/** The files of the message that is being written. They belong to this page: a reload forgets them. */
export function useAttachments(threadId: string, given: AttachmentLimits | undefined): Attachments {
  const limits = { ...DEFAULT_LIMITS, ...given };
  const [all, setFiles] = useState<readonly AddedFile[]>([]);
  const files = useMemo(() => all.filter((file) => file.threadId === threadId), [all, threadId]);
  const [rejections, setRejections] = useState<readonly Rejection[]>([]);
  const reading = useRef(new Map<string, AbortController>());
  const latest = useRef(all);

  const ofThread = () => latest.current.filter((file) => file.threadId === threadId);
  // Several may be added before React draws the first.
  const change = (next: (files: readonly AddedFile[]) => readonly AddedFile[]) => {
    latest.current = next(latest.current);
    setFiles(latest.current);
  };
  const update = (id: string, part: Partial<AddedFile>) =>
    change((all) => all.map((file) => (file.id === id ? { ...file, ...part } : file)));
  const forget = (id: string) => {
    reading.current.get(id)?.abort();
    reading.current.delete(id);
    change((all) => all.filter((file) => file.id !== id));
  };

  const read = async (id: string, file: File) => {
    const controller = new AbortController();
    reading.current.set(id, controller);
    const { signal } = controller;
    try {
      const attachment = await readAttachment(id, file, limits, (progress) => update(id, { progress }), signal);
      const others = ofThread().reduce((sum, { attachment }) => sum + (attachment?.size ?? 0), 0);
      if (others + attachment.size > limits.maxTotalSize)
        throw { name: file.name, reason: "total", limit: limits.maxTotalSize } satisfies Rejection;
      update(id, toAdded(attachment, threadId));
    } catch (cause) {
      if (signal.aborted) return;
      forget(id);
      const known = cause as Partial<Rejection>;
      const rejection = known.reason
        ? (cause as Rejection)
        : { name: file.name, reason: "unreadable" as const, limit: 0 };
      setRejections((all) => [...all, rejection]);
    } finally {
      reading.current.delete(id);
    }
  };

  const add = (chosen: Iterable<File>) => {
    const refused: Rejection[] = [];
    for (const file of chosen) {
      const rejection = rejectionOf(file, ofThread().length, limits);
      if (rejection) {
        refused.push(rejection);
        continue;
      }
      const id = `file-${Date.now().toString(36)}-${++count}`;
      change((all) => [
        ...all,
        {
          id,
          threadId,
          name: file.name,
          size: file.size,
          mimeType: file.type,
          progress: 0,
          ...(isShown(file.type) && { preview: "" }),
        },
      ]);
      void read(id, file);
    }
    setRejections(refused);
  };

  useEffect(() => {
    const open = reading.current;
    return () => open.forEach((controller) => controller.abort());
  }, []);

  return {
    files,
    rejections,
    limits,
    add,
    remove: forget,
    dismiss: () => setRejections([]),
    take() {
      const taken = ofThread();
      taken.forEach(({ id }) => forget(id));
      setRejections([]);
      return taken.flatMap(({ attachment }) => attachment ?? []);
    },
    restore: (attachments) =>
      change((now) => [...now, ...attachments.map((attachment) => toAdded(attachment, threadId))]),
  };
}
