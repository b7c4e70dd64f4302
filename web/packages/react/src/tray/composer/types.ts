import type { SendOptions } from "@pageside/core";
import type { KeyboardEvent, RefObject } from "react";
import type { AttachmentLimits } from "../attachments/attachments.js";

/** What the message box gives its parts to work on. */
export interface Box {
  /** The text field. */
  area: RefObject<HTMLTextAreaElement | null>;
  /** The element for the buttons at the beginning of the lower row. */
  tools: HTMLElement | null;
  /** Its text. */
  draft: string;
  /** Replaces its text. */
  setDraft: (text: string) => void;
  /** Does a run go on? */
  running: boolean;
  /** What the user sent before, oldest first. */
  sent: readonly string[];
  /** Sends a text, whatever it is. */
  onSend: (text: string, options?: SendOptions) => Promise<void> | void;
  /** Shows what the assistant sees. */
  onShowContext?: () => void;
  /** Which files may go with a message; `false` for none. */
  attachments?: AttachmentLimits | false;
  /** `false`: messages are not dictated. */
  voice?: boolean;
  /** Told whether the message has files, and whether they are still being read. */
  onFiles: (files: Files) => void;
  /** Filled by the parts. */
  partsRef: RefObject<PartsHandle | null>;
}

/** The files of a message: none, all read, or some still being read. */
export type Files = "none" | "ready" | "reading";

/** What the parts do for the message box. */
export interface PartsHandle {
  /** True if the key was theirs. */
  onKey: (event: KeyboardEvent<HTMLTextAreaElement>) => boolean;
  /** Sends the text in the box, or runs the command it names. */
  submit: () => void;
}
