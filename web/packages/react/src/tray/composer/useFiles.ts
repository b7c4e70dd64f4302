import { useEffect, useRef, type Dispatch } from "react";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { toBeRead, type AddedFile } from "../attachments/added.js";
import {
  acceptedKinds,
  DEFAULT_LIMITS,
  readAttachment,
  rejectionOf,
  type AttachmentLimits,
  type Rejection,
} from "../attachments/attachments.js";
import type { ComposerAction } from "./reduce.js";
import { filesOf } from "./state.js";
import type { Box } from "./types.js";

/** The files of the message being written, what else it takes, and how to add and remove them. */
export function useFiles({ threadId, state, dispatch, attachments: given }: Box) {
  const model = useAssistantSnapshot((thread) => thread.model);
  const files = filesOf(state.files, threadId);
  const limits: Required<AttachmentLimits> = { ...DEFAULT_LIMITS, ...(given || undefined) };
  const { read, remove } = useReading(limits, dispatch);

  const add = (chosen: Iterable<File>) => {
    const added: [AddedFile, File][] = [];
    const rejections: Rejection[] = [];
    for (const file of chosen) {
      const rejection = rejectionOf(file, files.length + added.length, limits, model);
      if (rejection) rejections.push(rejection);
      else added.push([toBeRead(file, threadId), file]);
    }
    dispatch({ type: "addFiles", files: added.map(([file]) => file), rejections });
    for (const [{ id }, file] of added) void read(id, file);
  };
  const closeRejections = () => dispatch({ type: "set", to: { rejections: [] } });
  return {
    areTaken: given !== false,
    files,
    rejections: state.rejections,
    limits,
    kinds: acceptedKinds(limits.accept, model),
    add,
    remove,
    closeRejections,
  };
}

/** The files of a message, as `useFiles` returns them. */
export type MessageFiles = ReturnType<typeof useFiles>;

/** Reads files, until they are removed or the message box goes. */
function useReading(limits: Required<AttachmentLimits>, dispatch: Dispatch<ComposerAction>) {
  const reading = useRef(new Map<string, AbortController>());
  useEffect(() => {
    const open = reading.current;
    return () => open.forEach((controller) => controller.abort());
  }, []);

  const remove = (id: string, rejection?: Rejection) => {
    reading.current.get(id)?.abort();
    dispatch({ type: "removeFile", id, ...(rejection && { rejection }) });
  };
  const read = async (id: string, file: File) => {
    const controller = new AbortController();
    reading.current.set(id, controller);
    const onProgress = (progress: number) => dispatch({ type: "fileProgress", id, progress });
    try {
      const attachment = await readAttachment(id, file, limits, onProgress, controller.signal);
      dispatch({ type: "fileRead", id, attachment, maxTotalSize: limits.maxTotalSize });
    } catch (cause) {
      if (!controller.signal.aborted) remove(id, toRejection(cause, file));
    } finally {
      reading.current.delete(id);
    }
  };
  return { read, remove };
}

function toRejection(cause: unknown, { name }: File): Rejection {
  const isKnown = (cause as Partial<Rejection>).reason !== undefined;
  return isKnown ? (cause as Rejection) : { name, reason: "unreadable", limit: 0 };
}
