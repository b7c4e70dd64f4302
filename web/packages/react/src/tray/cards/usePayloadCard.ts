import type { PayloadStatus } from "@pageside/core";
import { useContext, useEffect, useRef, useState, useSyncExternalStore, type RefObject } from "react";
import { useAssistantContext } from "../../context.js";
import type { PayloadHandler, PayloadState } from "../../hooks/payloads.js";
import { useLabels } from "../../labels/useLabels.js";
import { holdsFocus } from "../../ui/focus.js";
import { errorText } from "../../ui/errors.js";
import { HoldContext } from "../transcript/useFollow.js";

/** The element of a card. */
export type CardRef = RefObject<HTMLElement | null>;

/** The state and actions of a payload card. */
export interface PayloadCardState {
  /** How the card looks, by the component that was mounted last. */
  look: PayloadHandler | undefined;
  /** What can be done, by a component that is mounted. */
  handler: PayloadHandler | undefined;
  /** A handler runs, or the server is being told. */
  busy: boolean;
  /** What a handler or the server refused with. */
  error?: string;
  /** What the Accept button does. */
  accept: () => void;
  /** What the Dismiss button does. */
  dismiss: () => void;
  /** What the Undo and the Restore button do. */
  undo: () => void;
}

/** The state and actions of a payload card. `cardRef` is its element. */
export function usePayloadCard(payload: PayloadState, cardRef: CardRef): PayloadCardState {
  const { type, messageId, data, status, streaming, readOnly } = payload;
  const { client, payloads } = useAssistantContext("PayloadCard");
  const labels = useLabels();
  const hold = useContext(HoldContext);
  const readTop = () => payloads.top(type);
  const readLast = () => payloads.last(type);
  const mounted = useSyncExternalStore(payloads.subscribe, readTop, readTop);
  const handler = readOnly ? undefined : mounted;
  const look = useSyncExternalStore(payloads.subscribe, readLast, readLast);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const keepFocus = useKeptFocus(status, cardRef);

  type Work = PayloadHandler["accept"];
  /** Runs the page's handler, then tells the server. If the server refuses, the page undoes it. */
  const change = async (next: PayloadStatus, work: Work, revert: Work) => {
    if (busy || streaming || readOnly) return;
    hold();
    keepFocus();
    setError(undefined);
    setBusy(true);
    try {
      await work?.(data, messageId);
      await client.setPayloadStatus(messageId, next).catch(async (cause: unknown) => {
        await revert?.(data, messageId);
        throw cause;
      });
    } catch (cause) {
      setError(errorText(cause, labels));
    }
    setBusy(false);
  };

  const accept = () => void (handler?.accept && change("accepted", handler.accept, handler.undo));
  const dismiss = () => void change("dismissed", handler?.dismiss, undefined);
  const undo = () => {
    const wasAccepted = status === "accepted";
    void change("open", wasAccepted ? handler?.undo : undefined, wasAccepted ? handler?.accept : undefined);
  };
  return { look, handler, busy, error, accept, dismiss, undo };
}

/** A pressed button disappears with the status; its replacement gets the focus. */
export function useKeptFocus(status: string, cardRef: CardRef) {
  const kept = useRef(false);
  useEffect(() => {
    if (kept.current) cardRef.current?.querySelector<HTMLElement>("[data-focus]")?.focus();
    kept.current = false;
  }, [status, cardRef]);
  return () => {
    kept.current = holdsFocus(cardRef.current);
  };
}
