import type { SendOptions } from "@pageside/core";
import type { Dispatch, KeyboardEvent, RefObject, SetStateAction } from "react";
import type { AttachmentLimits } from "../attachments/attachments.js";
import type { ComposerAction } from "./reduce.js";
import type { ComposerState } from "./state.js";

/** The props of `<Composer>`. */
export interface ComposerProps {
  /** Does a run go on? The send button of an empty box stops it, and messages wait for its end. */
  running: boolean;
  /** In the empty box. */
  placeholder?: string;
  /** What the user sent before, oldest first, for ArrowUp. */
  sent: readonly string[];
  /** Sends a message. The promise resolves when it was answered, or taken back. */
  onSend: (text: string, options?: SendOptions) => Promise<void> | void;
  /** The user wants the run to stop. */
  onStop: () => void;
  /** Shows what the assistant sees. With it, the size of that is a button. */
  onShowContext?: () => void;
  /** Which files may go with a message; `false` for none. */
  attachments?: AttachmentLimits | false;
  /**
   * `false`: no button to dictate.
   * @defaultValue `true`
   */
  voice?: boolean;
}

/** What the message box gives its parts. */
export interface PartsProps extends ComposerProps {
  /** The text field. */
  area: RefObject<HTMLTextAreaElement | null>;
  /** The element for the buttons at the beginning of the lower row. */
  tools: HTMLElement | null;
  /** The open thread. */
  threadId: string;
  /** What the message box holds. */
  state: ComposerState;
  /** Replaces it. */
  setState: Dispatch<SetStateAction<ComposerState>>;
  /** Filled by the parts. */
  partsRef: RefObject<PartsHandle | null>;
}

/** The message box with its reducer, as its parts work on it. */
export interface Box extends PartsProps {
  /** Changes the state. */
  dispatch: Dispatch<ComposerAction>;
}

/** What the parts do for the message box. */
export interface PartsHandle {
  /** True if the key was theirs. */
  onKey: (event: KeyboardEvent<HTMLTextAreaElement>) => boolean;
  /** Sends the text in the box, or runs the command it names. */
  submit: () => void;
  /** The caret or the focus may have moved. */
  look: () => void;
}
