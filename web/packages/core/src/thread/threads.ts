/** The user's threads on the server. */
import type { Json } from "../protocol/types.js";

/** A thread, as a list of them shows it. */
export interface ThreadSummary {
  id: string;
  title: string;
  updatedAt: string;
  createdAt: string;
  archived: boolean;
  /** Whether it is listed before the others. */
  pinned?: boolean;
  /** When it was deleted; it can be restored for some time. */
  deletedAt?: string;
  /** The part of a message in which the words were found. */
  snippet?: string;
}

/** Which threads are asked for. */
export interface ThreadQuery {
  /** Words that the title or a message contains. The last one may be the beginning of a word. */
  q?: string;
  /** List the archived threads instead. */
  archived?: boolean;
  /** List the deleted threads instead. */
  deleted?: boolean;
  /** `next` of the page before. */
  cursor?: string;
  /** At most 200; default 50. */
  limit?: number;
}

/** One page of a list of threads. */
export interface ThreadPage {
  threads: ThreadSummary[];
  /** The cursor of the page after it; absent on the last one. */
  next?: string;
}

/** A backend tool call that runs in a thread without asking, because the user allowed it. */
export interface ThreadAllowance {
  id: string;
  tool: string;
  /** It holds for exactly these arguments, except for the open ones. */
  args: Json;
  /** The names of the arguments that may have any value. */
  openArgs?: string[];
  /** Whether it holds in its thread alone or in all of the user's. */
  scope: "thread" | "user";
  /** Whether it holds on the branch that is shown. */
  active: boolean;
  createdAt: string;
  expiresAt: string;
}

/**
 * Every method rejects with an error whose `error` is a `ClientError` if the server refuses or
 * cannot be reached.
 */
export interface ThreadsApi {
  /** One page of the user's threads: pinned ones first, then newest first. */
  list(query?: ThreadQuery): Promise<ThreadPage>;
  rename(threadId: string, title: string): Promise<void>;
  /** Archives a thread or, with `false`, unarchives it. */
  archive(threadId: string, archived?: boolean): Promise<void>;
  /** Pins a thread, which lists it first, or, with `false`, unpins it. */
  pin(threadId: string, pinned?: boolean): Promise<void>;
  /** Deletes a thread. `restore` undoes that for some time. */
  delete(threadId: string): Promise<void>;
  restore(threadId: string): Promise<void>;
  /**
   * The allowances of a thread, or without one those that hold in all of the user's threads:
   * approvals that were answered with `always`.
   */
  allowances(threadId?: string): Promise<ThreadAllowance[]>;
  /** Revokes an allowance of a thread, or of all threads: the user is asked again from now on. */
  revoke(threadId: string | undefined, allowanceId: string): Promise<void>;
}
