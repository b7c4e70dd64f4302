import { useEffect, useReducer, useState } from "react";
import { HttpError } from "../../shell/http.ts";
import { researchApi } from "../api.ts";
import type { Stream } from "../types.ts";
import { forSaving, isDirty, problemsOf, streamReducer, type StreamAction } from "./stream-draft.ts";
import { messageOf } from "../ui/text.ts";

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
  /** Takes the server's stream in the place of the draft, after a conflict. */
  takeTheirs(): Promise<void>;
}

/**
 * The stream of a page, changed here and saved when the user says so. Unsaved changes outlive a
 * reload of the tab.
 */
export function useStreamDraft(loaded: Stream): StreamDraft {
  const [saved, setSaved] = useState(loaded);
  const [draft, dispatch] = useReducer(streamReducer, loaded, (stream) => keptDraft(stream) ?? stream);
  const [state, setState] = useState<Pick<StreamDraft, "status" | "error">>({ status: "idle" });
  const dirty = isDirty(draft, saved);
  useEffect(() => keep(dirty ? draft : null, saved), [draft, dirty, saved]);

  const take = (stream: Stream) => {
    setSaved(stream);
    dispatch({ type: "replace", stream });
    setState({ status: "idle" });
  };

  return {
    draft,
    saved,
    dirty,
    problems: problemsOf(draft),
    dispatch,
    ...state,
    async save() {
      setState({ status: "saving" });
      try {
        take(await researchApi.saveStream({ ...forSaving(draft), version: saved.version }));
      } catch (error) {
        const conflict = error instanceof HttpError && error.code === "version_conflict";
        setState({ status: conflict ? "conflict" : "failed", error: messageOf(error) });
      }
    },
    discard: () => take(saved),
    async takeTheirs() {
      try {
        take(await researchApi.stream(saved.id));
      } catch (error) {
        setState({ status: "failed", error: messageOf(error) });
      }
    },
  };
}

const keyOf = (id: string) => `research.draft.${id}`;

function keep(draft: Stream | null, saved: Stream): void {
  try {
    if (draft) sessionStorage.setItem(keyOf(saved.id), JSON.stringify({ version: saved.version, draft }));
    else sessionStorage.removeItem(keyOf(saved.id));
  } catch {
    // Without storage the changes last as long as the page.
  }
}

/** The changes to this version of the stream that were not saved. */
function keptDraft(stream: Stream): Stream | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(keyOf(stream.id)) ?? "null") as {
      version: number;
      draft: Stream;
    } | null;
    return kept?.version === stream.version ? kept.draft : undefined;
  } catch {
    return undefined;
  }
}
