/** Asks the server for suggestions. Loaded when an empty thread is shown. */
import type { PagesideClient, SuggestedValue } from "@pageside/core";
import { askFor } from "./asking.js";
import type { SuggestionSource, SuggestionStore } from "./suggestionStore.js";

/** The server is asked once the page has not changed for this many milliseconds. */
const REST = 300;

/** The most answers that are kept. */
const MAX_KEPT = 20;

/** The server's answers, by request. */
const ANSWERS = Symbol("suggestions by question");
const answersOf = (client: PagesideClient) =>
  client.extension(ANSWERS, () => new Map<string, readonly SuggestedValue[]>());

/** Keeps the suggestions in step with the page until the signal is aborted. */
export function suggesting(store: SuggestionStore, client: PagesideClient, signal: AbortSignal): void {
  if (signal.aborted) return;
  const answers = answersOf(client);
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The current request, and those on their way. */
  let asked = "";
  const open = new Set<string>();

  const allowed = () => store.sources().filter(({ source }) => client.allows("suggestions", source));

  const ask = async () => {
    const sources = allowed();
    const instructions = sources.flatMap(({ instructions: text }) => text?.trim() || []).join("\n\n");
    const key = JSON.stringify([instructions, client.getPlace(), client.getContext()]);
    const known = instructions === "" ? [] : answers.get(key);
    asked = key;
    if (known) return show(known, sources);
    store.show({ ...store.read(), isLoading: true });
    if (open.has(key)) return; // the answer is on its way
    open.add(key);
    // Falls back to the static suggestions.
    const given = await askFor(client, instructions);
    open.delete(key);
    if (given) keep(answers, key, given);
    if (asked === key && !signal.aborted) show(given ?? [], allowed());
  };

  function show(given: readonly SuggestedValue[], sources: readonly SuggestionSource[]): void {
    const suggestions = given.length > 0 ? given : staticOf(sources);
    store.show({ suggestions, isLoading: false });
  }

  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void ask(), REST);
  };

  store.onChange = soon;
  const undo = client.subscribePage(soon);
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    undo();
    if (store.onChange === soon) store.onChange = undefined;
    store.show({ ...store.read(), isLoading: false });
  });
  void ask();
}

function staticOf(sources: readonly SuggestionSource[]): SuggestedValue[] {
  const all = sources.flatMap((source) => source.static ?? []);
  const values = all.map((each) => (typeof each === "string" ? { label: each, value: each } : each));
  return [...new Map(values.map((each) => [each.value, each])).values()];
}

function keep(answers: Map<string, readonly SuggestedValue[]>, key: string, given: readonly SuggestedValue[]): void {
  answers.set(key, given);
  const [oldest] = answers.keys();
  if (answers.size > MAX_KEPT && oldest !== undefined) answers.delete(oldest);
}
