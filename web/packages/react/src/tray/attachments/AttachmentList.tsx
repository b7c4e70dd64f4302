import { useState, type KeyboardEvent, type ReactNode } from "react";
import { useComposerLabels } from "../../labels/composer.js";
import { IconButton } from "../../ui/Button.js";
import { AlertIcon, CloseIcon } from "../../ui/icons.js";
import { FileIcon } from "../../ui/partIcons.js";
import { Lightbox } from "./Lightbox.js";
import type { AddedFile } from "./added.js";
import type { Rejection } from "./attachments.js";

interface AttachmentListProps {
  files: readonly AddedFile[];
  rejections: readonly Rejection[];
  /** The kinds of files that a message may have, as `acceptedKinds` names them. */
  kinds: readonly string[];
  remove: (id: string) => void;
  closeRejections: () => void;
  onLeave: () => void;
}

/** The files of a message, and why others were rejected. */
export function AttachmentList({ files, rejections, kinds, remove, closeRejections, onLeave }: AttachmentListProps) {
  const labels = useComposerLabels();
  const [large, setLarge] = useState<{ src: string; name: string }>();
  const areRead = files.every(({ attachment }) => attachment);
  return (
    <>
      {files.length > 0 && (
        <span className="ps-sr-only" role="status">
          {areRead && labels.filesAttached(files.length)}
        </span>
      )}
      {files.length > 0 && (
        <ul className="ps-files ps-flow" aria-label={labels.attachments}>
          {files.map((file) => (
            <Added
              key={file.id}
              file={file}
              onShow={setLarge}
              onRemove={() => {
                remove(file.id);
                onLeave();
              }}
            />
          ))}
        </ul>
      )}
      {rejections.length > 0 && (
        <Notice onClose={closeRejections}>
          {rejections.map(({ name, reason, limit }, index) => (
            <p key={index} dir="auto">
              {labels.rejected(name, reason, limit, kinds)}
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

interface AddedProps {
  file: AddedFile;
  onShow: (image: { src: string; name: string }) => void;
  onRemove: () => void;
}

/** One file: an image as a thumbnail that opens large, others by name. */
function Added({ file, onShow, onRemove }: AddedProps) {
  const { name, size, preview, attachment, progress } = file;
  const labels = useComposerLabels();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Delete" && event.key !== "Backspace") return;
    event.preventDefault();
    onRemove();
  };
  return (
    <li className="ps-file ps-row" data-image={preview !== undefined || undefined}>
      {preview !== undefined ? (
        <button
          type="button"
          className="ps-file-image"
          aria-label={labels.openImage(name)}
          title={name}
          onClick={() => preview && onShow({ src: preview, name })}
          onKeyDown={onKeyDown}
        >
          {preview && <img src={preview} alt="" />}
        </button>
      ) : (
        <FileName name={name} details={labels.bytes(size)} />
      )}
      {!attachment && <Reading name={labels.reading(name)} progress={progress} />}
      <button
        type="button"
        className="ps-file-remove"
        aria-label={labels.removeItem(name)}
        title={labels.removeItem(name)}
        onClick={onRemove}
        onKeyDown={onKeyDown}
      >
        <CloseIcon />
      </button>
    </li>
  );
}

/** How much of a file is read. A large image is scaled down first, which takes an unknown time. */
function Reading({ name, progress }: { name: string; progress: number }) {
  const percent = Math.round(progress * 100);
  return (
    <div
      className="ps-bar"
      role="progressbar"
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(percent > 0 ? { "aria-valuenow": percent } : { "data-unknown": true })}
    >
      <span style={percent > 0 ? { inlineSize: `${percent}%` } : undefined} />
    </div>
  );
}

/** A file: its icon, its name and details. */
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
      <div className="ps-grow">{children}</div>
      <IconButton isSmall label={labels.dismiss} onClick={onClose}>
        <CloseIcon />
      </IconButton>
    </div>
  );
}
