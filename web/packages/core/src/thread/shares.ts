/** Threads that are shared as a link: made and revoked by their owner, read by others. */
import type { Extensible } from "../base/extensible.js";
import type { Message } from "../protocol/types.js";
import { callStates, learned, settled } from "../tools/calls.js";
import type { ToolCallState } from "../tools/types.js";
import { httpOf, pathOfThread, sharedOf } from "./shared.js";

/** A link to a thread, as its owner sees it. */
export interface ThreadShare {
  id: string;
  createdAt: string;
  expiresAt: string;
}

/** A new link. The token is told this once. */
export interface NewThreadShare extends ThreadShare {
  /** What a reader needs: see `readShared`. */
  token: string;
}

/** A thread as a reader of its link sees it: as it was when it was shared. */
export interface SharedThread {
  title: string;
  /** When it was shared. */
  createdAt: string;
  /** When the link ends. */
  expiresAt: string;
  messages: readonly Message[];
  /** The tool calls of the messages, by id, as in a snapshot. None is running. */
  toolCalls: Readonly<Record<string, ToolCallState>>;
}

/**
 * Shares a thread as it is now, read only, with everybody of the user's tenant who has the link.
 * `expiresIn` is in seconds, by default 30 days. Rejects, like the other functions for shares, with
 * an error whose `error` is a `ClientError` if the server refuses or cannot be reached.
 *
 * @example
 * const { token } = await shareThread(client, client.getSnapshot().threadId);
 */
export async function shareThread(
  client: Extensible,
  threadId: string,
  { expiresIn }: { expiresIn?: number } = {},
): Promise<NewThreadShare> {
  const response = await httpOf(sharedOf(client)).send(sharesOf(threadId), { json: { expiresIn } });
  return (await response.json()) as NewThreadShare;
}

/** The links to a thread that have not ended, without their tokens. */
export async function listShares(client: Extensible, threadId: string): Promise<ThreadShare[]> {
  const { shares } = await httpOf(sharedOf(client)).read<{ shares: ThreadShare[] }>(sharesOf(threadId));
  return shares;
}

/** Revokes a link for good: it no longer opens the thread. */
export async function revokeShare(client: Extensible, threadId: string, shareId: string): Promise<void> {
  const path = `${sharesOf(threadId)}/${encodeURIComponent(shareId)}`;
  await httpOf(sharedOf(client)).send(path, { method: "DELETE" });
}

/**
 * Reads a shared thread. The error's `status` is 404 if the link has ended, was revoked, or is of
 * another tenant.
 *
 * @example
 * const { title, messages } = await readShared(client, token);
 */
export async function readShared(client: Extensible, token: string, signal?: AbortSignal): Promise<SharedThread> {
  const path = `/v1/shared/${encodeURIComponent(token)}`;
  const shared = await httpOf(sharedOf(client)).read<Omit<SharedThread, "toolCalls">>(path, signal);
  return { ...shared, toolCalls: callsOf(shared.messages) };
}

/** The calls of an idle thread: one without a result was never finished. */
function callsOf(messages: readonly Message[]): SharedThread["toolCalls"] {
  const told = learned(new Map(), messages, () => false, () => 0); // prettier-ignore
  return callStates(messages, settled(told, { status: "cancelled", endedAt: undefined }));
}

const sharesOf = (threadId: string) => `${pathOfThread(threadId)}/shares`;
