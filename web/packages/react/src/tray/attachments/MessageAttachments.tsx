import type { Message } from "@pageside/core";
import { useState } from "react";
import { useComposerLabels } from "../../labels/composer.js";
import { FileName } from "./AttachmentList.js";
import { Lightbox } from "./Lightbox.js";

/** A content part that is no text. */
interface MediaPart {
  type: "image" | "document" | "audio" | "video";
  source: { type: string; value?: string; mimeType?: string; url?: string };
  metadata?: { name?: unknown };
}

/** Images that are drawn and nothing else: no scripts, no further requests. */
const DRAWN = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/**
 * The files of a user's message: images as thumbnails that open large, others by name. Nothing is
 * fetched: files at an address are shown by name.
 */
export function MessageAttachments({ message }: { message: Pick<Message, "content"> }) {
  const labels = useComposerLabels();
  const [large, setLarge] = useState<{ src: string; name: string }>();
  const parts = mediaOf(message);
  if (parts.length === 0) return null;
  return (
    <>
      <ul className="ps-files ps-sent-files ps-flow" aria-label={labels.attachments}>
        {parts.map((part, index) => {
          const name = nameOf(part) ?? labels.attachments;
          const src = imageOf(part);
          return (
            <li key={index} className="ps-file ps-row" data-image={src !== undefined || undefined}>
              {src ? (
                <button
                  type="button"
                  className="ps-file-image"
                  aria-label={labels.openImage(name)}
                  title={name}
                  onClick={() => setLarge({ src, name })}
                >
                  <img src={src} alt="" loading="lazy" decoding="async" />
                </button>
              ) : (
                <FileName name={name} details={detailsOf(part, labels.bytes)} />
              )}
            </li>
          );
        })}
      </ul>
      {large && <Lightbox {...large} onClose={() => setLarge(undefined)} />}
    </>
  );
}

function mediaOf({ content }: Pick<Message, "content">): MediaPart[] {
  if (!Array.isArray(content)) return [];
  const parts: readonly { type: string; source?: unknown }[] = content;
  return parts.filter(
    (part): part is MediaPart => part.type !== "text" && typeof part.source === "object" && part.source !== null,
  );
}

const nameOf = ({ metadata }: MediaPart) => (typeof metadata?.name === "string" ? metadata.name : undefined);

function imageOf({ source }: MediaPart): string | undefined {
  const { type, value, mimeType = "" } = source;
  if (type !== "data" || typeof value !== "string" || !DRAWN.test(mimeType)) return undefined;
  return `data:${mimeType};base64,${value}`;
}

/** The size if the bytes are here, else the address. */
function detailsOf({ source }: MediaPart, bytes: (size: number) => string): string | undefined {
  if (source.type === "data" && typeof source.value === "string") {
    const padding = /={0,2}$/.exec(source.value)![0].length;
    return bytes((source.value.length / 4) * 3 - padding);
  }
  return typeof source.value === "string" && URL.canParse(source.value) ? new URL(source.value).host : undefined;
}
