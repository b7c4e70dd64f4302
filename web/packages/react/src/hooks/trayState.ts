import { Subscribable } from "@pageside/core";
import { useSyncExternalStore } from "react";
import { useAssistantContext, type TrayState } from "../context.js";

/** Makes the state of a tray. */
export function createTrayState(isOpen: boolean): TrayState {
  const changes = new Subscribable();
  const state = {
    isOpen,
    setOpen(open: boolean) {
      state.isOpen = open;
      changes.notify();
    },
    subscribe: changes.subscribe,
  };
  return state;
}

/** Is the tray open? Renders again when it opens or closes. */
export function useIsOpen(): boolean {
  const { tray } = useAssistantContext();
  const read = () => tray.isOpen;
  return useSyncExternalStore(tray.subscribe, read, read);
}
