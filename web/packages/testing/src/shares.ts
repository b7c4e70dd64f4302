/** The links to threads, and what their readers get. */
import type { Clock } from "@pageside/core";
import { jsonOf } from "./streams.js";
import type { Thread } from "./threads.js";

const SECOND = 1000;
const MONTH = 30 * 24 * 3600;

interface Share {
  id: string;
  token: string;
  threadId: string;
  end: number;
  createdAt: string;
  expiresAt: string;
  /** The thread as it was. */
  title: string;
  messages: unknown;
}

/** The links that were made, until they are revoked or end. */
export class Shares {
  #all: readonly Share[] = [];
  #count = 0;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `POST /v1/threads/{id}/shares` */
  create(thread: Thread, { expiresIn = MONTH }: { expiresIn?: number }): Response {
    const now = this.#clock.now();
    const end = now + expiresIn * SECOND;
    const number = ++this.#count;
    const { id: threadId, title } = thread;
    const messages: unknown = JSON.parse(JSON.stringify(thread.messages(thread.head)));
    const times = { createdAt: new Date(now).toISOString(), expiresAt: new Date(end).toISOString() };
    const share = { id: `share-${number}`, token: `token-${number}`, threadId, end, ...times, title, messages };
    this.#all = [share, ...this.#all];
    const { id, token } = share;
    return jsonOf({ id, token, ...times }, 201);
  }

  /** `GET /v1/threads/{id}/shares` */
  list(thread: Thread): Response {
    const shares = this.#live().filter(({ threadId }) => threadId === thread.id);
    return jsonOf({ shares: shares.map(({ id, createdAt, expiresAt }) => ({ id, createdAt, expiresAt })) });
  }

  /** `DELETE /v1/threads/{id}/shares/{shareId}` */
  revoke(thread: Thread, id: string): Response | undefined {
    const kept = this.#all.filter((each) => each.id !== id || each.threadId !== thread.id);
    if (kept.length === this.#all.length) return undefined;
    this.#all = kept;
    return new Response(null, { status: 204 });
  }

  /** `GET /v1/shared/{token}` */
  read(token: string): Response | undefined {
    const share = this.#live().find((each) => each.token === token);
    if (!share) return undefined;
    const { title, createdAt, expiresAt, messages } = share;
    return jsonOf({ title, createdAt, expiresAt, messages });
  }

  #live(): readonly Share[] {
    return this.#all.filter(({ end }) => end > this.#clock.now());
  }
}
