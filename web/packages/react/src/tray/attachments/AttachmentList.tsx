import { useState, type ReactNode } from "react";
import { AlertIcon, CloseIcon } from "../../ui/icons.js";
import { lazyPart } from "../../ui/lazyPart.js";
import { FileIcon } from "../composer/icons.js";
import { useComposerLabels } from "../../labels/composer.js";
import type { Attachments } from "./useAttachments.js";

export const Lightbox = lazyPart(() => import("./Lightbox.js").then((module) => module.Lightbox));

export interface AttachmentListProps extends Pick<Attachments, "files" | "rejections" | "remove" | "dismiss"> {
  onLeave: () => void;
}

/** The files that go with the message, and why others do not. */
export function AttachmentList({ files, rejections, remove, dismiss, onLeave }: AttachmentListProps) {
  const labels = useComposerLabels();
  const [large, setLarge] = useState<{ src: string; name: string }>();
  return (
    <>
      {files.length > 0 && (
        <ul className="ps-files" aria-label={labels.attachments}>
          {files.map(({ id, name, size, preview, attachment, progress }) => (
            <li key={id} className="ps-file" data-image={preview !== undefined || undefined}>
              {preview !== undefined ? (
                <button
                  type="button"
                  className="ps-file-image"
                  aria-label={labels.openImage(name)}
                  title={name}
                  onClick={() => preview && setLarge({ src: preview, name })}
                >
                  {preview && <img src={preview} alt="" />}
                </button>
              ) : (
                <FileName name={name} details={labels.bytes(size)} />
              )}
              {!attachment && (
                <div
                  className="ps-progress-bar"
                  role="progressbar"
                  aria-label={labels.reading(name)}
                  aria-valuemin={0}
                  aria-valuemax={100}
                  aria-valuenow={Math.round(progress * 100)}
                >
                  <span style={{ inlineSize: `${progress * 100}%` }} />
                </div>
              )}
              <button
                type="button"
                className="ps-file-remove"
                aria-label={labels.removeFile(name)}
                title={labels.removeFile(name)}
                onClick={() => {
                  remove(id);
                  onLeave();
                }}
              >
                <CloseIcon />
              </button>
            </li>
          ))}
        </ul>
      )}
      {rejections.length > 0 && (
        <Notice onClose={dismiss}>
          {rejections.map(({ name, reason, limit }, index) => (
            <p key={index} dir="auto">
              {labels.rejected(name, reason, limit)}
            </p>
          ))}
        </Notice>
      )}
      {large && (
        <Lightbox
          {...large}
          onClose={() => {
            setLarge(undefined);
            onLeave();
          }}
        />
      )}
    </>
  );
}

export function FileName({ name, details }: { name: string; details?: string }) {
  return (
    <>
      <FileIcon />
      <span className="ps-file-text">
        <span dir="auto" title={name}>
          {name}
        </span>
        {details && <small>{details}</small>}
      </span>
    </>
  );
}

/** What went wrong in the message box. */
export function Notice({ children, onClose }: { children: ReactNode; onClose: () => void }) {
  const labels = useComposerLabels();
  return (
    <div className="ps-notice" role="alert">
      <AlertIcon />
      <div>{children}</div>
      <button type="button" className="ps-icon-button ps-small" aria-label={labels.dismiss} onClick={onClose}>
        <CloseIcon />
      </button>
    </div>
  );
}
