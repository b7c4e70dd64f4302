import type { AgentModel, Attachment } from "@pageside/core";
import { useEffect, useMemo, useRef, useState } from "react";
import {
  acceptedKinds,
  DEFAULT_LIMITS,
  readAttachment,
  rejectionOf,
  type AttachmentLimits,
  type Rejection,
} from "./attachments.js";

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

/** The files of a message that is being written, and what can be done with them. */
export interface Attachments {
  /** Those of the open thread. */
  files: readonly AddedFile[];
  /** The rejected files of the last choice. */
  rejections: readonly Rejection[];
  /** The files that a message may have. */
  limits: Required<AttachmentLimits>;
  /** The kinds of files that it may have, as `acceptedKinds` names them. */
  kinds: readonly string[];
  /** Reads files and adds them, as far as the limits allow. */
  add: (files: Iterable<File>) => void;
  /** Removes a file. */
  remove: (id: string) => void;
  /** Takes out all files. */
  take: () => Attachment[];
  /** Puts files back that were taken out. */
  restore: (attachments: readonly Attachment[]) => void;
  /** The user has read the rejections. */
  dismiss: () => void;
}

const isShown = (type: string) => /^image\/(?:png|jpeg|gif|webp|avif)$/.test(type);

function toAdded(attachment: Attachment, threadId: string): AddedFile {
  const { id, name, size, mimeType, data } = attachment;
  const preview = isShown(mimeType) ? `data:${mimeType};base64,${data}` : undefined;
  return { id, threadId, name, size, mimeType, progress: 1, attachment, ...(preview && { preview }) };
}

/** The files of the message that is being written. A reload forgets them. */
export function useAttachments(
  threadId: string,
  given: AttachmentLimits | undefined,
  model: AgentModel | undefined,
): Attachments {
  const limits = { ...DEFAULT_LIMITS, ...given };
  const list = useFiles(threadId);
  const [rejections, setRejections] = useState<readonly Rejection[]>([]);
  const reject = (rejection: Rejection) => setRejections((all) => [...all, rejection]);
  const { read, forget } = useReading(list, limits, reject);

  const add = (chosen: Iterable<File>) => {
    const refused: Rejection[] = [];
    for (const file of chosen) {
      const rejection = rejectionOf(file, list.now().length, limits, model);
      if (rejection) {
        refused.push(rejection);
        continue;
      }
      const added = toBeRead(file, threadId);
      list.add([added]);
      void read(added.id, file);
    }
    setRejections(refused);
  };
  const take = () => {
    const taken = list.now();
    taken.forEach(({ id }) => forget(id));
    setRejections([]);
    return taken.flatMap(({ attachment }) => attachment ?? []);
  };
  return {
    files: list.files,
    rejections,
    limits,
    kinds: acceptedKinds(limits.accept, model),
    add,
    remove: forget,
    dismiss: () => setRejections([]),
    take,
    restore: (attachments) => list.add(attachments.map((attachment) => toAdded(attachment, threadId))),
  };
}

function toBeRead({ name, size, type: mimeType }: File, threadId: string): AddedFile {
  const id = `file-${Math.random().toString(36).slice(2)}`;
  return { id, threadId, name, size, mimeType, progress: 0, ...(isShown(mimeType) && { preview: "" }) };
}

interface AddedFiles {
  /** Those of this thread, as drawn. */
  files: readonly AddedFile[];
  /** The files of this thread now: several may be added before React draws the first. */
  now: () => readonly AddedFile[];
  add: (files: readonly AddedFile[]) => void;
  remove: (id: string) => void;
  update: (id: string, part: Partial<AddedFile>) => void;
  threadId: string;
}

/** The files of every thread. They are there again when the user comes back to it. */
function useFiles(threadId: string): AddedFiles {
  const [all, setFiles] = useState<readonly AddedFile[]>([]);
  const files = useMemo(() => all.filter((file) => file.threadId === threadId), [all, threadId]);
  const latest = useRef(all);
  const change = (next: (files: readonly AddedFile[]) => readonly AddedFile[]) => {
    latest.current = next(latest.current);
    setFiles(latest.current);
  };
  return {
    files,
    threadId,
    now: () => latest.current.filter((file) => file.threadId === threadId),
    add: (added) => change((all) => [...all, ...added]),
    remove: (id) => change((all) => all.filter((file) => file.id !== id)),
    update: (id, part) => change((all) => all.map((file) => (file.id === id ? { ...file, ...part } : file))),
  };
}

/** Reads files, until they are forgotten or the message box goes. */
function useReading(list: AddedFiles, limits: Required<AttachmentLimits>, onRejected: (rejection: Rejection) => void) {
  const reading = useRef(new Map<string, AbortController>());
  useEffect(() => {
    const open = reading.current;
    return () => open.forEach((controller) => controller.abort());
  }, []);

  const forget = (id: string) => {
    reading.current.get(id)?.abort();
    reading.current.delete(id);
    list.remove(id);
  };
  const read = async (id: string, file: File) => {
    const controller = new AbortController();
    reading.current.set(id, controller);
    const { signal } = controller;
    try {
      const attachment = await readAttachment(id, file, limits, (progress) => list.update(id, { progress }), signal);
      const others = list.now().reduce((sum, { attachment }) => sum + (attachment?.size ?? 0), 0);
      if (others + attachment.size > limits.maxTotalSize)
        throw { name: file.name, reason: "total", limit: limits.maxTotalSize } satisfies Rejection;
      list.update(id, toAdded(attachment, list.threadId));
    } catch (cause) {
      if (signal.aborted) return;
      forget(id);
      onRejected(toRejection(cause, file));
    } finally {
      reading.current.delete(id);
    }
  };
  return { read, forget };
}

function toRejection(cause: unknown, { name }: File): Rejection {
  const isKnown = (cause as Partial<Rejection>).reason !== undefined;
  return isKnown ? (cause as Rejection) : { name, reason: "unreadable", limit: 0 };
}
