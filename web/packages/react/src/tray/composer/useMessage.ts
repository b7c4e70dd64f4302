import type { Attachment, PagesideClient, SendOptions } from "@pageside/core";
import { findMentions } from "@pageside/core/mentions";
import { useEffect, useMemo, useState } from "react";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { useAttachments, type AddedFile } from "../attachments/useAttachments.js";
import { sendNow } from "../queue/sendNow.js";
import { useDraft } from "./draft.js";
import type { Box, Files } from "./types.js";
import type { Write } from "./useWriter.js";

/** How a message is sent. */
export interface How {
  /** What comes back into the box if the message is refused. Default: the text. */
  kept?: string;
  /** Stops the run and sends at once, before the queue. */
  now?: boolean;
}

/** The message that is being written: its draft, mentions and files, and sending them. */
export function useMessage(client: PagesideClient, box: Box, write: Write) {
  const { area, draft, running, onFiles, onSend } = box;
  const drafts = useDraft(client, area, draft, write);
  const threadId = useAssistantSnapshot((thread) => thread.threadId);
  const added = useAdded(threadId);
  const model = useAssistantSnapshot((thread) => thread.model);
  const attachments = useAttachments(threadId, box.attachments || undefined, model);
  const takesFiles = box.attachments !== false;
  const files = filesOf(attachments.files);
  useEffect(() => onFiles(files), [onFiles, files]);

  /** Sends a text with everything that goes with it. */
  const send = (text: string, { kept = text, now = false }: How = {}) => {
    const { mentions } = added;
    const taken = takesFiles ? attachments.take() : [];
    const options = optionsOf(mentions, taken);
    added.set([]);
    write("");
    const done = now && running ? sendNow(client, text, options) : onSend(text, options);
    drafts.submitted(kept, done, () => {
      added.set(mentions);
      attachments.restore(taken);
    });
  };
  const mentioned = useMentioned(client, draft, added, write);
  return { threadId, added, mentioned, attachments, takesFiles, files, send };
}

/** The message that is being written, as `useMessage` returns it. */
export type Message = ReturnType<typeof useMessage>;

function filesOf(files: readonly AddedFile[]): Files {
  if (files.some(({ attachment }) => !attachment)) return "reading";
  return files.length > 0 ? "ready" : "none";
}

function optionsOf(mentions: readonly string[], attachments: readonly Attachment[]): SendOptions | undefined {
  if (mentions.length + attachments.length === 0) return undefined;
  return { ...(mentions.length > 0 && { mentions }), ...(attachments.length > 0 && { attachments }) };
}

const NONE: readonly string[] = [];

/** The ids of the context entries that the user has added to the message, for each thread. */
function useAdded(threadId: string) {
  const [all, setAll] = useState<Readonly<Record<string, readonly string[]>>>({});
  const mentions = all[threadId] ?? NONE;
  return useMemo(() => {
    const set = (next: readonly string[]) => setAll((now) => ({ ...now, [threadId]: next }));
    return {
      mentions,
      add: (id: string) => mentions.includes(id) || set([...mentions, id]),
      remove: (id: string) => set(mentions.filter((other) => other !== id)),
      set,
    };
  }, [threadId, mentions]);
}

/**
 * What the message mentions: entries that the user added, and those whose labels are in the text.
 * Removing one takes its label out of the text.
 */
function useMentioned(client: PagesideClient, draft: string, added: ReturnType<typeof useAdded>, write: Write) {
  const found = findMentions(draft, client.getContextEntries());
  const ids = JSON.stringify([...new Set([...added.mentions, ...found.map(({ id }) => id)])]);
  const mentions = useMemo(() => JSON.parse(ids) as string[], [ids]);
  const remove = (id: string) => {
    added.remove(id);
    const places = found.filter((mention) => mention.id === id);
    if (places.length > 0) write(without(draft, places));
  };
  return { mentions, remove };
}

/** The text without some of its parts, each with one blank behind it, or else before it. */
function without(text: string, places: readonly { from: number; to: number }[]): string {
  return places.reduceRight((rest, { from, to }) => {
    const [before, after] = [rest.slice(0, from), rest.slice(to)];
    return after.startsWith(" ") ? before + after.slice(1) : before.replace(/ $/, "") + after;
  }, text);
}
