/**
 * The chat protocol of a Pageside server with `dropIns: [chat]`: types, and a reader of its
 * streams.
 */
import type { Json } from "@pageside/core";
import { readSse } from "@pageside/core/sse";

/** What the user has on screen. Whatever else is in it is shown to the model under its name. */
export interface ChatContext {
  /** The page, as the server's configuration calls it. */
  current_page: string;
  active_tab?: string | null;
  active_subtab?: string | null;
  /** The stream that the page is about: its instructions are part of the prompt. */
  stream_id?: number | null;
  /** The report that the page is about. */
  report_id?: number | null;
  current_article?: object | null;
  search_form?: object | null;
  pagination?: object | null;
  sort?: object | null;
  results?: object | null;
  viewer?: object | null;
  item_summaries?: readonly object[] | null;
  [more: string]: unknown;
}

/** The body of `POST /v1/chat/stream`. */
export type ChatRequest = {
  /** Absent in the first request of a conversation. */
  conversation_id?: number;
  context?: ChatContext;
} & ({ message: string } | { resume: readonly ChatResume[] });

/** Answers one of the interrupts of a `pageside_interrupt` payload. */
export interface ChatResume {
  interrupt_id: string;
  status: "resolved" | "cancelled";
  /** For an approval `{ approved: boolean }`. */
  payload?: Json;
}

/** The whole answer, at the end of a stream. */
export interface ChatResponsePayload {
  /** All texts of the stream together. */
  message: string;
  /** A card: the last one of the answer. */
  custom_payload?: { type: string; data: unknown };
  /** Chips: a click sends `value` as the next message. */
  suggested_values?: { label: string; value: string }[];
  /** Buttons: a click runs `action`, in the page or on the server. */
  suggested_actions?: { label: string; action: string; handler: "client" | "server" }[];
  tool_history?: { tool_name: string; input: unknown; output: string }[];
  conversation_id?: number;
}

/** What the assistant waits for: the data of a payload of the type `pageside_interrupt`. */
export interface ChatInterrupts {
  interrupts: {
    id: string;
    reason: string;
    message: string;
    tool?: string;
    effect?: string;
    summary?: string;
    input?: unknown;
    response_schema?: object;
    expires_at?: string;
  }[];
}

/** One event of a stream. The last one is `complete` or `error`. */
export type ChatEvent =
  | { type: "status"; message: string }
  | { type: "text_delta"; text: string }
  | { type: "tool_start"; tool: string; input: unknown }
  | { type: "tool_progress"; tool: string; stage: string; progress: number | null }
  | { type: "tool_complete"; tool: string; index: number }
  | { type: "complete"; payload: ChatResponsePayload }
  | { type: "error"; message: string };

/**
 * Reads the events of a response, once.
 *
 * @example
 * const stream = new ChatStream(await fetch("/v1/chat/stream", { method: "POST", headers, body }));
 * for await (const event of stream) if (event.type === "text_delta") show(event.text);
 * if (!stream.ended) {
 *   // the connection broke: GET /v1/chat/stream with the header Last-Event-ID goes on
 *   await fetch("/v1/chat/stream", { headers: { "Last-Event-ID": stream.lastEventId! } });
 * }
 */
export class ChatStream implements AsyncIterable<ChatEvent> {
  /** The position in the answer, to come back to. */
  lastEventId: string | undefined;
  /** Whether the answer was read to its end. */
  ended = false;
  /** The number of the conversation, also before the stream ends. */
  readonly conversationId: number | undefined;
  readonly #body: ReadableStream<Uint8Array>;

  /** Throws if the response is no stream: then its body says why. */
  constructor(response: Response) {
    const type = response.headers.get("Content-Type") ?? "";
    if (!response.ok || !response.body || !type.startsWith("text/event-stream")) {
      throw protocolFailure(`This is no chat stream: ${response.status} ${type}`.trim());
    }
    this.conversationId = Number(response.headers.get("Conversation-Id")) || undefined;
    this.#body = response.body;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ChatEvent> {
    for await (const batch of readSse(this.#body)) {
      for (const { id, data } of batch) {
        const event = eventOf(data);
        this.lastEventId = id ?? this.lastEventId;
        this.ended = event.type === "complete" || event.type === "error";
        yield event;
      }
    }
  }
}

/** What is no stream of this protocol. */
const protocolFailure = (message: string) => Object.assign(new Error(message), { name: "protocol" });

/** What each event must have, by its type. */
const MEMBERS: Record<ChatEvent["type"], Record<string, string>> = {
  status: { message: "string" },
  text_delta: { text: "string" },
  tool_start: { tool: "string" },
  tool_progress: { tool: "string", stage: "string" },
  tool_complete: { tool: "string", index: "number" },
  complete: { payload: "object" },
  error: { message: "string" },
};

function eventOf(data: string): ChatEvent {
  const event = parsed(data);
  const members = Object.hasOwn(MEMBERS, String(event["type"])) && MEMBERS[event["type"] as ChatEvent["type"]];
  if (!members) throw protocolFailure(`There is no chat event ${JSON.stringify(event["type"])}.`);
  for (const [name, type] of Object.entries(members)) {
    if (typeof event[name] !== type || event[name] === null) {
      throw protocolFailure(`${String(event["type"])}.${name} must be of the type ${type}.`);
    }
  }
  return event as ChatEvent;
}

function parsed(data: string): Record<string, unknown> {
  try {
    const event: unknown = JSON.parse(data);
    if (typeof event === "object" && event !== null) return event as Record<string, unknown>;
  } catch {
    // said below
  }
  throw protocolFailure("A chat event is no JSON object.");
}
