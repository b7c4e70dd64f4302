/**
 * Calls that may take the user to another page: a form that is submitted, a link that is clicked.
 * The next page answers them, so that they run once and the conversation continues there.
 */
import type { PagesideClient } from "@pageside/core";
import { DEPARTURES as KEY } from "./names.js";
import { readResult } from "./outcome.js";
import type { Roots } from "./roots.js";

/** A call that is older than this, in milliseconds, is forgotten. */
const MAX_AGE = 60 * 60_000;

interface Departure {
  id: string;
  tool: string;
  result?: string;
  at: number;
}

function load(): Departure[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? (kept as Departure[]).filter(({ at }) => at > Date.now() - MAX_AGE) : [];
  } catch {
    return [];
  }
}

function save(departures: readonly Departure[]): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(departures));
  } catch {
    // Without a storage the call waits for the user, as every call does whose page was reloaded.
  }
}

/** Remembers a call until it is known to stay on this page. */
export async function departing<T>(call: Omit<Departure, "at">, work: () => Promise<T>): Promise<T> {
  save([...load(), { ...call, at: Date.now() }]);
  try {
    return await work();
  } finally {
    save(load().filter(({ id }) => id !== call.id));
  }
}

/**
 * Sends the results of the calls that the previous page left behind, once the thread is loaded. If
 * the thread also waits for other begun calls, this is left to the user, because running those
 * again might have effects twice.
 */
export async function answerDeparted(client: PagesideClient, roots: Roots): Promise<void> {
  const departed = new Map(load().map((call) => [call.id, call]));
  save([]);
  if (departed.size === 0) return;
  await loaded(client);
  const { toolCalls } = client.getSnapshot();
  const begun = Object.values(toolCalls).filter((call) => call.attempted && call.result === undefined);
  if (begun.length === 0 || !begun.every(({ id }) => departed.has(id))) return;
  for (const name of new Set(begun.map((call) => call.name))) {
    const count = begun.filter((call) => call.name === name).length;
    standIn(client, name, count, (id) => whatIsShown(departed.get(id)?.result, roots));
  }
  await client.resumePending({ again: true });
}

/**
 * Answers this many calls in place of a tool, which would act again: also of one that the page
 * registers only now, since the code for forms loads meanwhile. Removed before the assistant
 * continues.
 */
function standIn(client: PagesideClient, name: string, calls: number, answer: (id: string) => unknown): void {
  const undo = client.registerTool({
    name,
    description: "A form or button of the page that the user was on before.",
    order: Infinity,
    handler: (_, { toolCallId }) => {
      if (--calls === 0) undo();
      return answer(toolCallId);
    },
  });
}

/** What this page shows of a call. */
function whatIsShown(selector: string | undefined, roots: Roots): unknown {
  const result = readResult(selector, roots);
  const saysNothing = typeof result === "object" && result !== null && "success" in result;
  return saysNothing ? { ...result, title: document.title, path: location.pathname + location.search } : result;
}

/** Resolves when the remembered thread is there. */
function loaded(client: PagesideClient): Promise<void> {
  return new Promise((resolve) => {
    let begun = false;
    const look = () => {
      const { loading, status, messages } = client.getSnapshot();
      begun ||= loading === true || status !== "idle" || messages.length > 0;
      if (!begun || loading || status !== "idle") return;
      unsubscribe();
      resolve();
    };
    const unsubscribe = client.subscribe(look);
    look();
  });
}
