import type { ActivityMessage } from "@ag-ui/core";
import { actionOf, isNote, readMetadata, type DeepPartial, type Message, type PayloadStatus } from "@pageside/core";
import type { ReactNode } from "react";
import type { Stacks } from "./stacks.js";

interface OfPayload {
  /** The id of the message that carries the payload. */
  messageId: string;
  /** The type of the payload. */
  type: string;
  /** The user's decision about the payload. */
  status: PayloadStatus;
  /** It stands where no payload of this type is offered, so it cannot be accepted or dismissed. */
  readOnly: boolean;
  /**
   * Accepts, like the button. Does nothing while the payload streams or without a registered
   * `accept`.
   */
  accept(): void;
  /** Dismisses, like the button. */
  dismiss(): void;
  /** Opens an accepted or dismissed payload again. */
  undo(): void;
}

/**
 * The props of a payload's `render`. While it is `streaming`, `data` is what has arrived so far:
 * any field may still be missing, and a text may not be whole.
 */
export type PayloadProps<Data = unknown> = OfPayload &
  ({ streaming: true; data: DeepPartial<Data> } | { streaming: false; data: Data });

/** How a page handles the payloads of one type. */
export interface PayloadHandler<Data = unknown> {
  /**
   * Draws the card's body. `props` has `data`, `streaming`, `status`, `readOnly`, `messageId`,
   * `type`, `accept()`, `dismiss()` and `undo()`. May use hooks.
   * @defaultValue the data as a list
   */
  render?: (props: PayloadProps<Data>) => ReactNode;
  /**
   * A text, or a function of the data that have arrived.
   * @defaultValue made from the type
   */
  title?: string | ((data: DeepPartial<Data>) => string);
  /**
   * Applies the payload; adds an Accept button. May be async. An error it throws is shown in the
   * card.
   */
  accept?: (data: Data, messageId: string) => unknown;
  /** Reverts `accept`; adds an Undo button. */
  undo?: (data: Data, messageId: string) => unknown;
  /** Called on Dismiss. Open cards have that button with this or `accept`. */
  dismiss?: (data: Data, messageId: string) => unknown;
  /**
   * On the Accept button.
   * @defaultValue `"Accept"`
   */
  acceptLabel?: string;
  /**
   * What an accepted card says.
   * @defaultValue "*title*: accepted"
   */
  acceptedLabel?: string;
}

/**
 * Handlers by payload type. The last `render` of a type stays after its component is gone; the
 * buttons do not.
 */
export type Payloads = Stacks<PayloadHandler>;

/** The activity type of what answers rest on: they are no card. */
export const SOURCES_TYPE = "pageside_sources";

/** A payload card as the transcript has it. */
export interface PayloadState {
  /** The id of the message that carries the payload. */
  messageId: string;
  /** The type of the payload. */
  type: string;
  /** The payload; while it streams, what has arrived so far. */
  data: unknown;
  /** Is the payload still being written? */
  streaming: boolean;
  /** The user's decision; `failed` if the payload could not be made. */
  status: PayloadStatus | "failed";
  /** Its place does not offer the type: there is nothing to decide. */
  readOnly: boolean;
}

/**
 * What an activity message shows; `undefined` where it is none of ours. The same message gives the
 * same object.
 */
export function payloadOf(message: Message): PayloadState | undefined {
  if (message.role !== "activity" || isNote(message) || actionOf(message)) return undefined;
  if (message.activityType === SOURCES_TYPE) return undefined;
  let state = known.get(message);
  if (!state) known.set(message, (state = read(message)));
  return state;
}

const known = new WeakMap<Message, PayloadState>();

function read(message: ActivityMessage): PayloadState {
  const { status: told, streaming, readOnly } = readMetadata(message);
  const status = STATUSES.find((each) => each === told) ?? "open";
  const { id: messageId, activityType: type, content: data } = message;
  return { messageId, type, data, status, streaming: streaming === true, readOnly: readOnly === true };
}

const STATUSES = ["open", "accepted", "dismissed", "failed"] as const;
