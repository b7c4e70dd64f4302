/** Requests other than runs. */
import { compact, newId } from "../base/values.js";
import { Failure } from "../protocol/failure.js";
import { withStatus, type PayloadStatus, type SuggestedValue } from "../protocol/pageside.js";
import type { Json, Message } from "../protocol/types.js";
import { ask } from "../tools/questions.js";
import type { UserLimits } from "./limits.js";
import type { Session } from "./session.js";
import { httpOf, pathOfThread } from "./shared.js";
import type { ThreadAllowance, ThreadPage, ThreadQuery, ThreadSummary } from "./threads.js";
import type { AnswerFeedback } from "./types.js";

const PAGE = 50;

/** The user's threads: pinned ones first, then newest first. */
export async function listThreads(session: Session, query: ThreadQuery = {}): Promise<ThreadPage> {
  const { q, archived, deleted, cursor, limit = PAGE } = query;
  const search = new URLSearchParams({ limit: String(limit) });
  if (q) search.set("q", q);
  if (archived) search.set("archived", "1");
  if (deleted) search.set("deleted", "1");
  if (cursor) search.set("cursor", cursor);
  const { threads, next } = await httpOf(session.shared).read<ThreadPage>(`/v1/threads?${search}`);
  return { threads: threads.map(summaryOf), next: next || undefined };
}

function summaryOf(thread: ThreadSummary): ThreadSummary {
  const { id, title, updatedAt, createdAt, archived, pinned, deletedAt, snippet } = thread;
  return {
    ...{ id, title, updatedAt, createdAt, archived },
    ...(pinned && { pinned }),
    ...(deletedAt && { deletedAt }),
    ...(snippet && { snippet }),
  };
}

/** Renames a thread. */
export async function renameThread(session: Session, threadId: string, title: string): Promise<void> {
  await changeThread(session, threadId, { title });
  if (session.thread.data.threadId === threadId) session.thread.update({ title });
}

/** Archives or unarchives a thread. */
export async function archiveThread(session: Session, threadId: string, archived = true): Promise<void> {
  await changeThread(session, threadId, { archived });
}

/** Pins or unpins a thread. */
export async function pinThread(session: Session, threadId: string, pinned = true): Promise<void> {
  await changeThread(session, threadId, { pinned });
}

/** Deletes a thread; it can be restored for some time. */
export async function deleteThread({ shared }: Session, threadId: string): Promise<void> {
  await httpOf(shared).send(pathOfThread(threadId), { method: "DELETE" });
}

/** Restores a deleted thread. */
export async function restoreThread(session: Session, threadId: string): Promise<void> {
  await changeThread(session, threadId, { deleted: false });
}

async function changeThread({ shared }: Session, threadId: string, change: object): Promise<void> {
  await httpOf(shared).send(pathOfThread(threadId), { method: "PATCH", json: change });
}

/** Lists the allowances of a thread, or of all threads. */
export async function listAllowances({ shared }: Session, threadId?: string): Promise<ThreadAllowance[]> {
  const { allowances } = await httpOf(shared).read<{ allowances: ThreadAllowance[] }>(allowancesOf(threadId));
  return allowances;
}

const allowancesOf = (threadId?: string) => `${threadId === undefined ? "/v1" : pathOfThread(threadId)}/allowances`;

/** Revokes an allowance: the user is asked again from now on. */
export async function revokeAllowance({ shared }: Session, threadId: string | undefined, id: string): Promise<void> {
  await httpOf(shared).send(`${allowancesOf(threadId)}/${encodeURIComponent(id)}`, { method: "DELETE" });
}

/** The user's limits, and what is used of them. */
export function readLimits({ shared }: Session): Promise<UserLimits> {
  return httpOf(shared).read<UserLimits>("/v1/limits");
}

/** Changes the status of a payload. Shows it at once, and reverts it if the server refuses. */
export async function setPayloadStatus(session: Session, messageId: string, status: PayloadStatus): Promise<void> {
  const { thread, shared } = session;
  const before = thread.data.messages.find(({ id }) => id === messageId);
  if (!before) throw new Error(`There is no message "${messageId}" in this thread.`);
  const after = withStatus(before, status);
  const put = (old: Message, message: Message) =>
    thread.update({ messages: thread.data.messages.map((each) => (each === old ? message : each)) });
  put(before, after);
  const decision = { id: messageId, status };
  thread.update({ decided: [...thread.data.decided, decision] }, "soon");
  try {
    const path = `${pathOfThread(thread.data.threadId)}/payloads/${encodeURIComponent(messageId)}`;
    await httpOf(shared).send(path, { method: "PUT", json: { status } });
  } catch (cause) {
    thread.update({ decided: thread.data.decided.filter((each) => each !== decision) }, "soon");
    put(after, before);
    throw cause;
  }
}

/** Saves the user's rating of an answer. */
export async function sendFeedback(
  { thread, shared }: Session,
  messageId: string,
  { rating, reason, comment = "" }: AnswerFeedback,
): Promise<void> {
  const path = `${pathOfThread(thread.data.threadId)}/messages/${encodeURIComponent(messageId)}/feedback`;
  await httpOf(shared).send(path, { method: "PUT", json: { rating, reason, comment } });
}

/**
 * Runs a suggested action whose handler is on the server, once however often the request arrives.
 */
export async function runAction(
  session: Session,
  name: string,
  args: Json = {},
  { label }: { label?: string } = {},
): Promise<unknown> {
  for (let approvalId: string | undefined; ;) {
    try {
      return await sendAction(session, name, { args, label, approvalId });
    } catch (cause) {
      if (!(cause instanceof Failure) || cause.error.code !== "approval_required") throw cause;
      approvalId = await approvalOf(session, cause, { name, label, args });
    }
  }
}

async function sendAction({ thread, shared }: Session, name: string, action: object): Promise<unknown> {
  const place = { agent: shared.agent, ...shared.places.current() };
  const { threadId } = thread.data;
  const context = shared.context.collect().map(({ item, detail: { id, label, source } }) => ({ id, label, source, ...item })); // prettier-ignore
  const json = { ...place, ...action, threadId, context, idempotencyKey: newId() };
  return (await httpOf(shared).send(`/v1/actions/${encodeURIComponent(name)}`, { json })).json();
}

/** Asks the user about an action that the server has refused to run unasked. */
async function approvalOf(
  { shared, closed }: Session,
  refusal: Failure,
  action: { name: string; label?: string; args: Json },
): Promise<string | undefined> {
  const { questions } = shared;
  if (questions.viewers === 0) throw refusal;
  const { approvalId, ...asked } = detailsOf(refusal);
  const { approved } = await ask(questions, { from: "server", ...action, ...asked }, closed.signal);
  if (!approved)
    throw Object.assign(new Error(`The user denied "${action.name}". Nothing was done.`), { name: "denied" });
  return approvalId;
}

/** What needs approval, and the id that approves it. */
function detailsOf({ error: { details = "" } }: Failure): { args?: Json; approvalId?: string } {
  try {
    const { args, approvalId }: { args?: Json; approvalId?: string } = JSON.parse(details);
    return compact({ args, approvalId });
  } catch {
    return {};
  }
}

/** Suggests what the user might ask now. */
export async function suggest(
  { shared }: Session,
  instructions = "",
  more: readonly { description: string; value: string }[] = [],
): Promise<SuggestedValue[]> {
  const context = [...shared.context.collect().map(({ item }) => item), ...more];
  const json = { agent: shared.agent, ...shared.places.current(), instructions, context };
  const response = await httpOf(shared).send("/v1/suggestions", { json });
  const { suggestions }: { suggestions?: SuggestedValue[] } = await response.json();
  return suggestions ?? [];
}
