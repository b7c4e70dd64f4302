import type { AddedFile } from "../attachments/added.js";
import type { Rejection } from "../attachments/attachments.js";
import type { Trigger } from "./trigger.js";

/**
 * All that the message box holds: the message being written, and what stands over it. Files and
 * mentions are kept for every thread, so that they are there again when the user comes back. A
 * reload forgets them.
 */
export interface ComposerState {
  /** The text of the box. */
  readonly text: string;
  /** Where the caret goes with a text that the user did not type: a new object each time. */
  readonly caret: { readonly at: number } | undefined;
  /** The ids of the context entries that the user added to the message, by thread. */
  readonly mentions: Readonly<Record<string, readonly string[]>>;
  /** The files of the messages, of all threads. */
  readonly files: readonly AddedFile[];
  /** The rejected files of the last choice. */
  readonly rejections: readonly Rejection[];
  /** The command or mention at the caret. */
  readonly trigger: Trigger | undefined;
  /** Has the user dismissed the list of that command or mention? */
  readonly isDismissed: boolean;
  /** The active line of the list. */
  readonly active: number;
  /** Help, or the question about a command that is not registered. */
  readonly dialog: "help" | UnknownCommand | undefined;
  /** Why a command failed. */
  readonly problem: string | undefined;
}

/** A message that begins like a command and is none. */
export interface UnknownCommand {
  /** With its slash. */
  command: string;
  /** What follows it; empty if nothing does. */
  args: string;
}

/** The empty box. */
export const EMPTY: ComposerState = {
  text: "",
  caret: undefined,
  mentions: {},
  files: [],
  rejections: [],
  trigger: undefined,
  isDismissed: false,
  active: 0,
  dialog: undefined,
  problem: undefined,
};

const NONE: readonly string[] = [];

/** The ids of the context entries that the user added to a thread's message. */
export const mentionsOf = ({ mentions }: ComposerState, threadId: string): readonly string[] =>
  mentions[threadId] ?? NONE;

/** The files of a thread's message. */
export const filesOf = (files: readonly AddedFile[], threadId: string): AddedFile[] =>
  files.filter((file) => file.threadId === threadId);

/** Reports whether a file is still being read: the message waits for it. */
export const isReading = (files: readonly AddedFile[]): boolean => files.some(({ attachment }) => !attachment);
