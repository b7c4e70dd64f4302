import type { AgentMedia, AgentModel, Attachment } from "@pageside/core";

/** The files that a message may have. */
export interface AttachmentLimits {
  /** Files of one message. Default 8. */
  maxFiles?: number;
  /** Bytes of one file, after a large image was scaled down. Default 2,500,000. */
  maxFileSize?: number;
  /**
   * Bytes of all files of one message. Default 2,500,000. They are sent as base64, which has a
   * third more.
   */
  maxTotalSize?: number;
  /**
   * As the `accept` of a file input: `"image/*,.pdf"`; empty for every file. Default PNG, JPEG,
   * GIF, WebP, PDF and text.
   */
  accept?: string;
}

/** Why a file is rejected. */
export type RejectReason = "count" | "size" | "total" | "empty" | "type" | "model" | "unreadable";

/** A rejected file. */
export interface Rejection {
  /** The name of the file. */
  name: string;
  /** Why it does not go with the message. */
  reason: RejectReason;
  /** The limit that was passed, in files or bytes; 0 where there is none. */
  limit: number;
}

/**
 * Fits the server's default of 4 MiB per request, with room for the page's context. Raise both
 * limits together.
 */
export const DEFAULT_LIMITS: Required<AttachmentLimits> = {
  maxFiles: 8,
  maxFileSize: 2_500_000,
  maxTotalSize: 2_500_000,
  accept: "image/png,image/jpeg,image/gif,image/webp,application/pdf,text/*,application/json,.csv,.md,.log,.yaml,.yml",
};

/** Larger files are not read at all, however small they might become. */
const READ_LIMIT = 50_000_000;

const ENDINGS: Readonly<Record<string, string>> = {
  csv: "text/csv",
  json: "application/json",
  log: "text/plain",
  md: "text/markdown",
  pdf: "application/pdf",
  txt: "text/plain",
  yaml: "text/yaml",
  yml: "text/yaml",
};

/** The type that the browser gives a file, or else that of its ending. */
export function mimeTypeOf({ name, type }: Pick<File, "name" | "type">): string {
  return type || ENDINGS[endingOf(name)] || "application/octet-stream";
}

const endingOf = (name: string) => name.slice(name.lastIndexOf(".") + 1).toLowerCase();

/** Reports whether a list like a file input's `accept` names a file. */
export function isAccepted(file: Pick<File, "name" | "type">, accept: string): boolean {
  const type = mimeTypeOf(file);
  const entries = entriesOf(accept);
  return (
    entries.length === 0 ||
    entries.some((entry) => (entry.startsWith(".") ? file.name.toLowerCase().endsWith(entry) : covers(entry, type)))
  );
}

/** The entries of a list like a file input's `accept`; none for one that names every file. */
function entriesOf(accept: string): string[] {
  const entries = accept.split(",").map((entry) => entry.trim().toLowerCase());
  return entries.includes("*/*") ? [] : entries.filter((entry) => entry !== "");
}

const covers = (entry: string, type: string) =>
  entry.endsWith("/*") ? type.startsWith(entry.slice(0, -1)) : entry === type;

/** The kinds of files that `accept` names as a whole. */
export type FileKind = "image" | "audio" | "video" | "text";

/**
 * What a message takes, in the order of `accept` and without what the model cannot be shown: a
 * `FileKind` where `accept` has the whole of it, else a format such as `"PDF"`. Empty where every
 * file is taken.
 */
export function acceptedKinds(accept: string, model: AgentModel | undefined): string[] {
  const entries = entriesOf(accept);
  const types = entries.map((entry) => (entry.startsWith(".") ? mimeTypeOf({ name: entry, type: "" }) : entry));
  const isCovered = (type: string) => entries.some((entry) => entry !== type && covers(entry, type));
  const kinds = entries
    .filter((_, index) => !isCovered(types[index]!) && modelTakes(types[index]!, model))
    .map((entry) => (entry.endsWith("/*") ? entry.slice(0, -2) : formatOf(entry)));
  return [...new Set(kinds)];
}

/** `"image/svg+xml"` and `".svg"` are `"SVG"`. */
const formatOf = (entry: string) => /[^./]+$/.exec(entry.replace(/\+.*/, ""))?.[0].toUpperCase() ?? entry;

/**
 * Reports whether the model accepts a type, according to the server. Scripted models accept all.
 */
function modelTakes(type: string, model: AgentModel | undefined): boolean {
  const kind = type === "application/pdf" ? "pdf" : /^(?:image(?!\/svg)|audio|video)(?=\/)/.exec(type)?.[0];
  return !kind || !model || model.scripted || model.media?.[kind as keyof AgentMedia] !== false;
}

/** Why a file is rejected before it is read. */
export function rejectionOf(
  file: File,
  before: number,
  limits: Required<AttachmentLimits>,
  model?: AgentModel,
): Rejection | undefined {
  const because = (reason: RejectReason, limit = 0) => ({ name: file.name, reason, limit });
  if (before >= limits.maxFiles) return because("count", limits.maxFiles);
  if (!isAccepted(file, limits.accept)) return because("type");
  if (!modelTakes(mimeTypeOf(file), model)) return because("model");
  if (file.size === 0) return because("empty");
  const mayShrink = /^image\/(?:png|jpeg|webp)$/.test(mimeTypeOf(file));
  if (file.size > (mayShrink ? READ_LIMIT : limits.maxFileSize)) return because("size", limits.maxFileSize);
  return undefined;
}

/**
 * Reads a file, a large image scaled down first. Rejects with a `Rejection` where it cannot be read
 * or is larger than allowed; with the signal's reason when that is aborted. `progress` is told a
 * number from 0 to 1.
 */
export async function readAttachment(
  id: string,
  file: File,
  limits: Required<AttachmentLimits>,
  progress: (fraction: number) => void,
  signal: AbortSignal,
): Promise<Attachment> {
  const mimeType = mimeTypeOf(file);
  const blob = mimeType.startsWith("image/") ? await scaledDown(file) : file;
  signal.throwIfAborted();
  const reject = (reason: RejectReason, limit: number): Rejection => ({ name: file.name, reason, limit });
  if (blob.size > limits.maxFileSize) throw reject("size", limits.maxFileSize);
  const data = await base64(blob, progress, signal).catch((cause: unknown) => {
    throw signal.aborted ? cause : reject("unreadable", 0);
  });
  return { id, name: file.name, mimeType: blob === file ? mimeType : blob.type, size: blob.size, data };
}

function base64(blob: Blob, progress: (fraction: number) => void, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0);
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error ?? new Error("The file could not be read."));
    reader.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => reader.abort(), { once: true });
    reader.readAsDataURL(blob);
  });
}

/** The longest side of an image that is sent, in pixels: models look at no more. */
const MAX_SIDE = 2048;

/** What a canvas can write without losing anything: no animations, no drawings. */
const SCALABLE = /^image\/(?:png|jpeg|webp)$/;

/** A large image made smaller, in its own format. Anything else stays as it is. */
async function scaledDown(file: Blob): Promise<Blob> {
  if (!SCALABLE.test(file.type) || typeof createImageBitmap !== "function") return file;
  try {
    const bitmap = await createImageBitmap(file);
    try {
      const scale = MAX_SIDE / Math.max(bitmap.width, bitmap.height);
      return scale < 1 ? await draw(bitmap, scale, file.type) : file;
    } finally {
      bitmap.close();
    }
  } catch {
    return file; // no image, or too little memory: the limits decide
  }
}

async function draw(bitmap: ImageBitmap, scale: number, type: string): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no canvas");
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, 0.88));
  if (!blob) throw new Error("nothing drawn");
  return blob;
}
