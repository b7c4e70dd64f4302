/** What a client asks the server for beside runs. Loaded with the first question. */
import type { Http } from "./http.js";
import type { AgentModel, Message, ThreadSummary } from "./types.js";

const PAGE = 200;

export interface StoredThread {
  title?: string;
  messages: Message[];
  /** When each message was stored, by id, in milliseconds since the epoch. */
  createdAt: Map<string, number>;
}

interface MessagePage {
  messages: { createdAt: string; message: Message }[];
  next?: string;
}

/** Loads a whole thread. The pages come from the newest to the oldest. */
export async function loadThread(http: Http, threadId: string, signal: AbortSignal): Promise<StoredThread> {
  const path = `/v1/threads/${encodeURIComponent(threadId)}`;
  const [{ title }, first] = (await Promise.all([
    get(http, path, signal),
    get(http, `${path}/messages?limit=${PAGE}`, signal),
  ])) as [{ title?: string }, MessagePage];
  const pages = [first];
  for (let next = first.next; next; next = pages[0]!.next) {
    pages.unshift(
      (await get(http, `${path}/messages?limit=${PAGE}&before=${encodeURIComponent(next)}`, signal)) as MessagePage,
    );
  }
  const stored = pages.flatMap((page) => page.messages);
  return {
    title: title || undefined,
    messages: stored.map(({ message }) => message),
    createdAt: new Map(stored.map(({ message, createdAt }) => [message.id, Date.parse(createdAt)])),
  };
}

/** The user's threads, newest first. */
export async function listThreads(http: Http, cursor?: string): Promise<{ threads: ThreadSummary[]; next?: string }> {
  const from = cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
  const { threads, next } = (await get(http, `/v1/threads?limit=50${from}`)) as {
    threads: ThreadSummary[];
    next?: string;
  };
  return { threads: threads.map(({ id, title, updatedAt }) => ({ id, title, updatedAt })), next: next || undefined };
}

/** The model behind the agent, where the server tells. */
export async function readModel(http: Http, agent: string): Promise<AgentModel | undefined> {
  const capabilities = (await get(http, `/v1/agents/${encodeURIComponent(agent)}/capabilities`)) as {
    custom?: { pageside?: { model?: unknown; scripted?: unknown } };
  };
  const { model, scripted } = capabilities.custom?.pageside ?? {};
  return typeof model === "string" ? { name: model, scripted: scripted === true } : undefined;
}

async function get(http: Http, path: string, signal?: AbortSignal): Promise<unknown> {
  return (await http.send(path, { signal })).json();
}
