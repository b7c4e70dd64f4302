import type { PagesideClient } from "@pageside/core";
import { useContext, useEffect, useSyncExternalStore } from "react";
import { AssistantContext, useAssistantContext } from "../context.js";
import { useLatest } from "../hooks/registration.js";

/** A button at the head of code blocks, beside Copy. */
export interface CodeAction {
  /** On the button: "Insert". */
  label: string;
  /** Of code in these languages, as the fences name them; default of all. */
  languages?: readonly string[];
  /**
   * Does something with the code, for instance puts it into an editor of the page. What it throws
   * is shown.
   */
  run: (code: string, language: string) => unknown;
}

interface Store {
  actions: readonly CodeAction[];
  listeners: Set<() => void>;
}

const stores = new WeakMap<PagesideClient, Store>();
const NONE: readonly CodeAction[] = [];

function storeOf(client: PagesideClient): Store {
  let store = stores.get(client);
  if (!store) stores.set(client, (store = { actions: NONE, listeners: new Set() }));
  return store;
}

function change(store: Store, actions: readonly CodeAction[]) {
  store.actions = actions;
  store.listeners.forEach((listener) => listener());
}

/**
 * Gives code blocks in answers a button of the page, as long as the component is there.
 *
 * @example
 * useCodeAction({ label: "Use as query", languages: ["ppl"], run: (code) => setQuery(code) });
 */
export function useCodeAction(action: CodeAction): void {
  const { client } = useAssistantContext("useCodeAction");
  const latest = useLatest(action);
  const { label } = action;
  const languages = action.languages?.join(" ");
  useEffect(() => {
    const store = storeOf(client);
    const entry: CodeAction = {
      label,
      languages: languages?.split(" "),
      run: (code, language) => latest.current.run(code, language),
    };
    change(store, [...store.actions, entry]);
    return () =>
      change(
        store,
        store.actions.filter((each) => each !== entry),
      );
  }, [client, label, languages, latest]);
}

/** What pages offer for code in a language. Nothing outside a provider. */
export function useCodeActions(language: string): readonly CodeAction[] {
  const context = useContext(AssistantContext);
  const store = context && storeOf(context.client);
  const subscribe = (listener: () => void) => {
    store?.listeners.add(listener);
    return () => void store?.listeners.delete(listener);
  };
  const read = () => store?.actions ?? NONE;
  const actions = useSyncExternalStore(subscribe, read, read);
  return actions.filter(({ languages }) => !languages || languages.includes(language.toLowerCase()));
}
