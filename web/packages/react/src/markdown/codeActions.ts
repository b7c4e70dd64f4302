import { Subscribable, type PagesideClient } from "@pageside/core";
import { useContext, useEffect, useSyncExternalStore } from "react";
import { AssistantContext, useAssistantContext } from "../context.js";
import { useLatest } from "../hooks/effects.js";

/** A button at the head of code blocks, beside Copy. */
export interface CodeAction {
  /** On the button: "Insert". */
  label: string;
  /** Of code in these languages, as the fences name them; default of all. */
  languages?: readonly string[];
  /** Does something with the code, such as inserting it into an editor. Errors are shown. */
  run: (code: string, language: string) => unknown;
}

/** The buttons that components of a page give to code blocks. */
class CodeActions {
  readonly #changes = new Subscribable();
  #all: readonly CodeAction[] = [];

  readonly subscribe = this.#changes.subscribe;

  /** The same array until something changes. */
  readonly all = (): readonly CodeAction[] => this.#all;

  /** The function undoes it. */
  add(action: CodeAction): () => void {
    this.#change([...this.#all, action]);
    return () => this.#change(this.#all.filter((each) => each !== action));
  }

  #change(next: readonly CodeAction[]): void {
    this.#all = next;
    this.#changes.notify();
  }
}

const ACTIONS = Symbol("code actions");
const actionsOf = (client: PagesideClient) => client.extension(ACTIONS, () => new CodeActions());

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
