import type { PagesideClient, ThreadSnapshot } from "@pageside/core";
import { useMemo, useSyncExternalStore } from "react";
import { useAssistantContext } from "../context.js";
import { useIsOpen } from "./trayState.js";
import { useCommands, type RegisterCommands } from "./useCommands.js";

/** What is done with the thread, and the tray: the same functions as long as the provider. */
export interface AssistantActions extends Pick<
  PagesideClient,
  "send" | "stop" | "retry" | "answer" | "edit" | "regenerate" | "switchTo" | "newThread"
> {
  /** The client of the provider, for everything else. */
  client: PagesideClient;
  /** Sends a user message; the same as `send`. */
  sendMessage: PagesideClient["send"];
  /** Opens the tray. */
  open(): void;
  /** Closes the tray. */
  close(): void;
  /** Opens the tray, or closes it if it is open. */
  toggle(): void;
}

/** The current thread, and its actions. */
export interface Assistant extends ThreadSnapshot, AssistantActions {
  /** Is a run going on? */
  isRunning: boolean;
  /** See `useAssistantPrompts`. */
  registerCommands: RegisterCommands;
  /** Is the tray open? */
  isOpen: boolean;
}

/**
 * The assistant: messages, questions and status of the open thread, sending, answering and
 * stopping, and the tray.
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

/** The actions without the thread: never causes a render by itself. */
export function useAssistantActions(): AssistantActions {
  const { client, tray } = useAssistantContext("useAssistantActions");
  return useMemo(() => {
    const { send, stop, retry, answer, edit, regenerate, switchTo, newThread } = client;
    return {
      ...{ client, send, stop, retry, answer, edit, regenerate, switchTo, newThread },
      sendMessage: send,
      open: () => tray.setOpen(true),
      close: () => tray.setOpen(false),
      toggle: () => tray.setOpen(!tray.isOpen),
    };
  }, [client, tray]);
}

function isRunning({ status }: ThreadSnapshot): boolean {
  return status !== "idle" && status !== "error";
}
