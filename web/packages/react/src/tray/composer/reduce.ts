import type { Attachment } from "@pageside/core";
import { toAdded, type AddedFile } from "../attachments/added.js";
import type { Rejection } from "../attachments/attachments.js";
import { filesOf, type ComposerState } from "./state.js";
import type { Trigger } from "./trigger.js";

/** What changes the state of the message box. */
export type ComposerAction =
  /** Without `at` the user typed, and the caret stays where it is. */
  | { type: "write"; text: string; at?: number }
  /** The message goes out, with its mentions and files. */
  | { type: "send"; threadId: string }
  /** It was refused. */
  | { type: "restore"; threadId: string; mentions: readonly string[]; attachments: readonly Attachment[] }
  | { type: "mention"; threadId: string; ids: readonly string[] }
  | { type: "addFiles"; files: readonly AddedFile[]; rejections: readonly Rejection[] }
  | { type: "fileProgress"; id: string; progress: number }
  /** The file is rejected if those of its message are larger than `maxTotalSize` with it. */
  | { type: "fileRead"; id: string; attachment: Attachment; maxTotalSize: number }
  | { type: "removeFile"; id: string; rejection?: Rejection }
  /** The text or the caret changed. */
  | { type: "trigger"; trigger: Trigger | undefined }
  | { type: "set"; to: Settings };

/** What is set as it is. */
export type Settings = Partial<Pick<ComposerState, "isDismissed" | "active" | "dialog" | "problem" | "rejections">>;

/** The state after an action; the same object if nothing changes. */
export function reduce(state: ComposerState, action: ComposerAction): ComposerState {
  switch (action.type) {
    case "write":
      return written(state, action.text, action.at);
    case "send":
      return sent(state, action.threadId);
    case "restore": {
      const files = action.attachments.map((attachment) => toAdded(attachment, action.threadId));
      return { ...withMentions(state, action.threadId, action.mentions), files: [...state.files, ...files] };
    }
    case "mention":
      return withMentions(state, action.threadId, action.ids);
    case "addFiles":
      return { ...state, files: [...state.files, ...action.files], rejections: action.rejections };
    case "fileProgress":
      return withFile(state, action.id, (file) => ({ ...file, progress: action.progress }));
    case "fileRead":
      return read(state, action.id, action.attachment, action.maxTotalSize);
    case "removeFile":
      return withoutFile(state, action.id, action.rejection);
    case "trigger":
      return at(state, action.trigger);
    case "set":
      return { ...state, ...action.to };
  }
}

function written(state: ComposerState, text: string, at: number | undefined): ComposerState {
  if (at !== undefined) return { ...state, text, caret: { at } };
  return text === state.text ? state : { ...state, text };
}

function sent(state: ComposerState, threadId: string): ComposerState {
  const files = state.files.filter((file) => file.threadId !== threadId);
  const rest = { ...withMentions(state, threadId, []), files };
  return { ...rest, text: "", rejections: [], dialog: undefined, problem: undefined };
}

const withMentions = (state: ComposerState, threadId: string, ids: readonly string[]): ComposerState => ({
  ...state,
  mentions: { ...state.mentions, [threadId]: ids },
});

const withFile = (state: ComposerState, id: string, change: (file: AddedFile) => AddedFile): ComposerState => ({
  ...state,
  files: state.files.map((file) => (file.id === id ? change(file) : file)),
});

function withoutFile(state: ComposerState, id: string, rejection?: Rejection): ComposerState {
  const files = state.files.filter((file) => file.id !== id);
  return { ...state, files, rejections: rejection ? [...state.rejections, rejection] : state.rejections };
}

function read(state: ComposerState, id: string, attachment: Attachment, maxTotalSize: number): ComposerState {
  const { threadId } = state.files.find((file) => file.id === id) ?? {};
  if (threadId === undefined) return state; // removed meanwhile
  const sum = filesOf(state.files, threadId).reduce(
    (total, file) => total + (file.attachment?.size ?? 0),
    attachment.size,
  );
  if (sum <= maxTotalSize) return withFile(state, id, () => toAdded(attachment, threadId));
  return withoutFile(state, id, { name: attachment.name, reason: "total", limit: maxTotalSize });
}

/** A list that was dismissed stays away until another command or mention begins. */
function at(state: ComposerState, next: Trigger | undefined): ComposerState {
  const { trigger: now, isDismissed, active } = state;
  if (now?.kind === next?.kind && now?.from === next?.from && now?.to === next?.to && now?.query === next?.query)
    return state;
  const isSameToken = now?.kind === next?.kind && now?.from === next?.from;
  const isSameList = now?.kind === next?.kind && now?.query === next?.query;
  return { ...state, trigger: next, isDismissed: isDismissed && isSameToken, active: isSameList ? active : 0 };
}
