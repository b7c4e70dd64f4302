import type { PagesideClient, ThreadSnapshot } from "@pageside/core";
import { useMemo, useSyncExternalStore } from "react";
import { useAssistantContext } from "../context.js";
import { useIsOpen } from "./trayState.js";
import { useCommands, type RegisterCommands } from "./useCommands.js";

/** The current thread, and its actions. */
export interface Assistant
  extends
    ThreadSnapshot,
    Pick<
      PagesideClient,
      | "send"
      | "stop"
      | "retry"
      | "continueAnswer"
      | "clearError"
      | "newThread"
      | "openThread"
      | "listThreads"
      | "resumePending"
      | "getContext"
      | "getTools"
      | "getContextEntries"
      | "sendFeedback"
      | "confirm"
    > {
  /** The client of the provider, for everything else. */
  client: PagesideClient;
  /** Is a run going on? */
  isRunning: boolean;
  /** Sends a user message; the same as `send`. */
  sendMessage: PagesideClient["send"];
  /** See `useAssistantPrompts`. */
  registerCommands: RegisterCommands;
  /** Is the tray open? */
  isOpen: boolean;
  /** Opens the tray. */
  open(): void;
  /** Closes the tray. */
  close(): void;
  /** Opens the tray, or closes it if it is open. */
  toggle(): void;
}

/**
 * The assistant: messages and status of the open thread, sending and stopping, the threads, and the
 * tray.
 *
 * Use it in components that show the conversation or start one ("Explain this chart" buttons). A
 * component that needs only a part of the thread should use `useAssistantSnapshot` with a selector:
 * it renders only when that part changes.
 *
 * @example const { send, open, isRunning } = useAssistant(); return <button disabled={isRunning}
 * onClick={() => { open(); void send("Explain this chart"); }}>Explain</button>;
 */
export function useAssistant(): Assistant {
  const { client } = useAssistantContext("useAssistant");
  const isOpen = useIsOpen();
  const snapshot = useAssistantSnapshot((thread) => thread);
  const actions = useAssistantActions();
  const registerCommands = useCommands(client);
  return useMemo(
    () => ({ ...snapshot, ...actions, registerCommands, isOpen, isRunning: isRunning(snapshot) }),
    [snapshot, actions, registerCommands, isOpen],
  );
}

/**
 * One part of the thread. The component renders again only when `select` returns a different value
 * (`Object.is`), so select existing parts of the snapshot; do not build new objects.
 *
 * @example
 * const status = useAssistantSnapshot((thread) => thread.status);
 */
export function useAssistantSnapshot<Part>(select: (snapshot: ThreadSnapshot) => Part): Part {
  const { client } = useAssistantContext("useAssistantSnapshot");
  const read = () => select(client.getSnapshot());
  return useSyncExternalStore(client.subscribe, read, read);
}

/** `Assistant` without the members that change. */
export type AssistantActions = Omit<Assistant, keyof ThreadSnapshot | "isOpen" | "isRunning" | "registerCommands">;

/** The actions without the thread: never causes a render by itself. */
export function useAssistantActions(): AssistantActions {
  const { client, tray } = useAssistantContext("useAssistantActions");
  return useMemo(
    () => ({
      client,
      send: client.send,
      sendMessage: client.send,
      stop: client.stop,
      retry: client.retry,
      continueAnswer: client.continueAnswer,
      clearError: client.clearError,
      newThread: client.newThread,
      openThread: client.openThread,
      listThreads: client.listThreads,
      resumePending: client.resumePending,
      getContext: client.getContext,
      getTools: client.getTools,
      getContextEntries: client.getContextEntries,
      sendFeedback: client.sendFeedback,
      confirm: client.confirm,
      open: () => tray.setOpen(true),
      close: () => tray.setOpen(false),
      toggle: () => tray.setOpen(!tray.isOpen),
    }),
    [client, tray],
  );
}

function isRunning({ status }: ThreadSnapshot): boolean {
  return status !== "idle" && status !== "error";
}
