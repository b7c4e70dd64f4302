import type { PagesideClient } from "@pageside/core";
import { useContext, useEffect, useSyncExternalStore } from "react";
import { AssistantContext, useAssistantContext } from "../context.js";
import { useLatest } from "../hooks/effects.js";
import { createList } from "../ui/list.js";

/** A button at the head of code blocks, beside Copy. */
export interface CodeAction {
  /** On the button: "Insert". */
  label: string;
  /** Of code in these languages, as the fences name them; default of all. */
  languages?: readonly string[];
  /** Does something with the code, such as inserting it into an editor. Errors are shown. */
  run: (code: string, language: string) => unknown;
}

const ACTIONS = Symbol("code actions");
/** The buttons that components of a page give to code blocks. */
const actionsOf = (client: PagesideClient) => client.extension(ACTIONS, () => createList<CodeAction>());

/**
 * Adds a button of the page to code blocks in answers while the component is mounted.
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
    const run: CodeAction["run"] = (code, language) => latest.current.run(code, language);
    return actionsOf(client).add({ label, languages: languages?.split(" "), run });
  }, [client, label, languages, latest]);
}

const NONE: readonly CodeAction[] = [];
const never = () => () => {};

/** The page's actions for code in a language; none outside a provider. */
export function useCodeActions(language: string): readonly CodeAction[] {
  const context = useContext(AssistantContext);
  const offered = context && actionsOf(context.client);
  const read = () => offered?.all() ?? NONE;
  const actions = useSyncExternalStore(offered?.subscribe ?? never, read, read);
  return actions.filter(({ languages }) => !languages || languages.includes(language.toLowerCase()));
}
