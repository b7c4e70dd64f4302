/** The links to threads, and what their readers get. */
import { readMetadata, type Clock, type Message } from "@pageside/core";
import { jsonOf, refusal } from "./streams.js";
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
  messages: readonly Message[];
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
    if (thread.live) return refusal(409, "thread_busy", "A run of the thread goes on.");
    const now = this.#clock.now();
    const end = now + expiresIn * SECOND;
    const number = ++this.#count;
    const { id: threadId, title } = thread;
    const times = { createdAt: new Date(now).toISOString(), expiresAt: new Date(end).toISOString() };
    const share = {
      id: `share-${number}`,
      token: `token-${number}`,
      threadId,
      end,
      ...times,
      title,
      messages: copyOf(thread),
    };
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

/** A thread for others to read: without what went into tools and came out of them. */
function copyOf(thread: Thread): readonly Message[] {
  const all = thread.messages(thread.head);
  const answered = new Set(all.map((message) => (message.role === "tool" ? message.toolCallId : undefined)));
  return all.flatMap((message): Message[] => {
    if (message.role === "user") return [message];
    if (message.role === "assistant") return [withoutArguments(message, answered)];
    if (message.role === "tool") return [{ ...message, content: message.error ? failed : "" }];
    if (message.role !== "activity") return [];
    return [{ ...message, metadata: { pageside: { ...readMetadata(message), readOnly: true } } }];
  });
}

const failed = JSON.stringify({ error: { message: "The call did not succeed." } });

type Answer = Extract<Message, { role: "assistant" }>;

function withoutArguments({ id, role, content, toolCalls = [] }: Answer, answered: ReadonlySet<unknown>): Answer {
  const calls = toolCalls.filter((call) => answered.has(call.id));
  const bare = calls.map((call) => ({ ...call, function: { ...call.function, arguments: "{}" } }));
  return { id, role, content, ...(bare.length > 0 && { toolCalls: bare }) };
}
