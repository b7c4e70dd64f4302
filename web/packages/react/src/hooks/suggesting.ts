/** Asks the server for suggestions. Loaded when they are to be shown. */
import type { PagesideClient, SuggestedValue } from "@pageside/core";
import { textOf } from "@pageside/core/messages";
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
  const conversation = endOf(client);

  const allowed = () => store.sources().filter(({ source }) => client.allows("suggestions", source));

  const ask = async () => {
    const sources = allowed();
    const instructions = sources.flatMap(({ instructions: text }) => text?.trim() || []).join("\n\n");
    const key = JSON.stringify([instructions, client.getPlace(), client.getContext(), conversation]);
    const known = instructions === "" ? [] : answers.get(key);
    asked = key;
    if (known) return show(known, sources);
    store.show({ ...store.read(), isLoading: true });
    if (open.has(key)) return; // the answer is on its way
    open.add(key);
    // Falls back to the static suggestions.
    const given = await askFor(client, instructions, conversation);
    open.delete(key);
    if (given) keep(answers, key, given);
    if (asked === key && !signal.aborted) show(given ?? [], allowed());
  };

  function show(given: readonly SuggestedValue[], sources: readonly SuggestionSource[]): void {
    // The page's own are for beginning: they need not be repeated below each answer.
    const suggestions = given.length > 0 || conversation !== undefined ? given : staticOf(sources);
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
    // What was suggested after this answer says nothing about the next one.
    store.show({ suggestions: [], isLoading: false });
  });
  void ask();
}

/** How much of the last question and its answer goes into a request, in characters. */
const MAX_QUESTION = 300;
const MAX_ANSWER = 900;

/** The end of the conversation, which suggestions go on from; `undefined` while it is empty. */
function endOf(client: PagesideClient): string | undefined {
  const { messages } = client.getSnapshot();
  const question = messages.findLastIndex(({ role }) => role === "user");
  if (question < 0) return undefined;
  const answer = messages
    .slice(question + 1)
    .flatMap((each) => (each.role === "assistant" ? textOf(each.content) : []));
  return JSON.stringify({
    question: textOf(messages[question]!.content).slice(0, MAX_QUESTION),
    answer: answer.join("\n").trim().slice(-MAX_ANSWER),
  });
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
