/** What a client asks the server for beside runs. Loaded with the first question. */
import type { Failure } from "./failure.js";
import type { Http } from "./http.js";
import type { Session } from "./session.js";
import type { ThreadAllowance, ThreadPage, ThreadQuery, ThreadSummary } from "./types-api.js";
import { withStatus, type PayloadStatus, type SuggestedValue } from "./protocol/pageside.js";
import type { AgentMedia, AgentModel, Json, Message } from "./types.js";

const PAGE = 50;

/** The user's threads, newest first. */
export async function listThreads(session: Session, query: ThreadQuery = {}): Promise<ThreadPage> {
  const { q, archived, deleted, cursor, limit = PAGE } = query;
  const search = new URLSearchParams({ limit: String(limit) });
  if (q) search.set("q", q);
  if (archived) search.set("archived", "1");
  if (deleted) search.set("deleted", "1");
  if (cursor) search.set("cursor", cursor);
  const { threads, next } = (await get(session.shared.http, `/v1/threads?${search}`)) as ThreadPage;
  return { threads: threads.map(summaryOf), next: next || undefined };
}

function summaryOf({ id, title, updatedAt, createdAt, archived, deletedAt, snippet }: ThreadSummary): ThreadSummary {
  return { id, title, updatedAt, createdAt, archived, ...(deletedAt && { deletedAt }), ...(snippet && { snippet }) };
}

export async function renameThread(session: Session, threadId: string, title: string): Promise<void> {
  await changeThread(session, threadId, { title });
  if (session.thread.view.threadId === threadId) session.thread.set({ title });
}

export async function archiveThread(session: Session, threadId: string, archived = true): Promise<void> {
  await changeThread(session, threadId, { archived });
}

export async function deleteThread({ shared }: Session, threadId: string): Promise<void> {
  await shared.http.send(pathOf(threadId), { method: "DELETE" });
}

export async function restoreThread(session: Session, threadId: string): Promise<void> {
  await changeThread(session, threadId, { deleted: false });
}

async function changeThread({ shared }: Session, threadId: string, change: object): Promise<void> {
  await shared.http.send(pathOf(threadId), { method: "PATCH", json: change });
}

export async function listAllowances({ shared }: Session, threadId: string): Promise<ThreadAllowance[]> {
  const answer = (await get(shared.http, `${pathOf(threadId)}/allowances`)) as { allowances: ThreadAllowance[] };
  return answer.allowances;
}

export async function revokeAllowance({ shared }: Session, threadId: string, id: string): Promise<void> {
  await shared.http.send(`${pathOf(threadId)}/allowances/${encodeURIComponent(id)}`, { method: "DELETE" });
}

/** Shown at once, and taken back where the server refuses. */
export async function setPayloadStatus(session: Session, messageId: string, status: PayloadStatus): Promise<void> {
  const { thread, shared } = session;
  const before = thread.view.messages.find(({ id }) => id === messageId);
  if (!before) throw new Error(`There is no message "${messageId}" in this thread.`);
  const after = withStatus(before, status);
  const put = (old: Message, message: Message) =>
    thread.set({ messages: thread.view.messages.map((each) => (each === old ? message : each)) });
  put(before, after);
  try {
    const path = `${pathOf(thread.view.threadId)}/payloads/${encodeURIComponent(messageId)}`;
    await shared.http.send(path, { method: "PUT", json: { status } });
  } catch (cause) {
    put(after, before);
    throw cause;
  }
}

export async function sendFeedback(
  { thread, shared }: Session,
  messageId: string,
  { rating, comment = "" }: { rating: -1 | 0 | 1; comment?: string },
): Promise<void> {
  const path = `${pathOf(thread.view.threadId)}/messages/${encodeURIComponent(messageId)}/feedback`;
  await shared.http.send(path, { method: "PUT", json: { rating, comment } });
}

export async function runAction(
  { thread, shared }: Session,
  name: string,
  args: Json = {},
  { approved }: { approved?: boolean } = {},
): Promise<unknown> {
  const json = { agent: shared.agent, ...shared.places.current(), args, threadId: thread.view.threadId, approved };
  try {
    return await (await shared.http.send(`/v1/actions/${encodeURIComponent(name)}`, { json })).json();
  } catch (cause) {
    const { error } = cause as Partial<Failure>;
    if (error?.code !== "approval_required") throw cause;
    throw Object.assign(cause as Failure, { args: approvalArgs(error.details) ?? args });
  }
}

/** The arguments that the server would use, of the details of its refusal. */
function approvalArgs(details = ""): Json | undefined {
  try {
    return (JSON.parse(details) as { args?: Json }).args;
  } catch {
    return undefined;
  }
}

export async function suggest({ shared }: Session, instructions = ""): Promise<SuggestedValue[]> {
  const context = shared.context.collect().map(({ item }) => item);
  const json = { agent: shared.agent, ...shared.places.current(), instructions, context };
  const { suggestions } = (await (await shared.http.send("/v1/suggestions", { json })).json()) as {
    suggestions?: SuggestedValue[];
  };
  return suggestions ?? [];
}

/** The model behind the agent, where the server tells. */
export async function readModel({ http, agent }: Session["shared"]): Promise<AgentModel | undefined> {
  const capabilities = (await get(http, `/v1/agents/${encodeURIComponent(agent)}/capabilities`)) as {
    custom?: { pageside?: { model?: unknown; scripted?: unknown } };
    multimodal?: { input?: AgentMedia };
  };
  const { model, scripted } = capabilities.custom?.pageside ?? {};
  const media = capabilities.multimodal?.input;
  return typeof model === "string" ? { name: model, scripted: scripted === true, ...(media && { media }) } : undefined;
}

async function get(http: Http, path: string): Promise<unknown> {
  return (await http.send(path)).json();
}

function pathOf(threadId: string): string {
  return `/v1/threads/${encodeURIComponent(threadId)}`;
}
