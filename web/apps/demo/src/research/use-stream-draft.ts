import { useEffect, useReducer, useState } from "react";
import { HttpError } from "../shell/http.ts";
import { messageOf } from "../ui/text.ts";
import { researchApi } from "./api.ts";
import { forSaving, isDirty, problemsOf, streamReducer, type StreamAction } from "./stream-draft.ts";
import type { Stream } from "./types.ts";

/** A stream that is being edited. */
export interface StreamDraft {
  draft: Stream;
  /** As the server has it. */
  saved: Stream;
  dirty: boolean;
  problems: ReadonlyMap<string, string>;
  dispatch(action: StreamAction): void;
  status: "idle" | "saving" | "failed" | "conflict";
  error?: string;
  save(): Promise<void>;
  discard(): void;
  /** Replaces the draft by the server's stream, after a conflict. */
  takeTheirs(): Promise<void>;
}

/** The stream of a page and its draft. Unsaved changes outlive a reload of the tab. */
export function useStreamDraft(loaded: Stream): StreamDraft {
  const [saved, setSaved] = useState(loaded);
  const [draft, dispatch] = useReducer(streamReducer, loaded, (stream) => storedDraft(stream) ?? stream);
  const [state, setState] = useState<Pick<StreamDraft, "status" | "error">>({ status: "idle" });
  const dirty = isDirty(draft, saved);
  useEffect(() => {
    if (dirty) sessionStorage.setItem(storageKey(saved), JSON.stringify(draft));
    else sessionStorage.removeItem(storageKey(saved));
  }, [draft, dirty, saved]);

  const take = (stream: Stream) => {
    setSaved(stream);
    dispatch({ type: "replace", stream });
    setState({ status: "idle" });
  };
  const takeFrom = async (answer: Promise<Stream>) => {
    setState({ status: "saving" });
    try {
      take(await answer);
    } catch (error) {
      const conflict = error instanceof HttpError && error.code === "version_conflict";
      setState({ status: conflict ? "conflict" : "failed", error: messageOf(error) });
    }
  };
  return {
    draft,
    saved,
    dirty,
    problems: problemsOf(draft),
    dispatch,
    ...state,
    save: () => takeFrom(researchApi.saveStream({ ...forSaving(draft), version: saved.version })),
    discard: () => take(saved),
    takeTheirs: () => takeFrom(researchApi.stream(saved.id)),
  };
}

const storageKey = ({ id, version }: Stream) => `research.draft.${id}.${version}`;

/** The changes to this version of the stream that were not saved. */
const storedDraft = (stream: Stream) =>
  JSON.parse(sessionStorage.getItem(storageKey(stream)) ?? "null") as Stream | null;
