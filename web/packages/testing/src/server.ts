/** The routes of a Pageside server that the SDK uses, over threads in memory. */
import type { Clock, Json, Message, OfferedModel, SuggestedValue } from "@pageside/core";
import type { RunInput } from "./events.js";
import { pathOf, requestOf, type Asked } from "./request.js";
import type { Run } from "./run.js";
import type { Runs } from "./runs.js";
import { systemClock } from "./clock.js";
import { Shares } from "./shares.js";
import { jsonOf, refusal, streamOf } from "./streams.js";
import type { Thread } from "./threads.js";

/** A thread that is there from the beginning. */
export interface GivenThread {
  id: string;
  title?: string;
  messages: readonly Message[];
}

/** How a scripted agent behaves beside its rules. */
export interface AgentOptions {
  /**
   * For `pause()` and other delays.
   * @defaultValue the machine's time
   */
  clock?: Clock;
  /**
   * Milliseconds between two words.
   * @defaultValue `0`
   */
  pace?: number;
  /** Threads that are there from the beginning. */
  threads?: readonly GivenThread[];
  /** What `suggest()` resolves with. */
  suggestions?: readonly SuggestedValue[];
  /** Suggested actions with a handler on the server, by name. An action that throws is refused. */
  actions?: Readonly<Record<string, (args: Json) => Json>>;
  /** The name of the model that the client shows. */
  model?: string;
  /** The models that the user may choose from. */
  choices?: readonly OfferedModel[];
}

/** A request that the client made, beside those that begin runs. */
export interface AgentRequest {
  method: string;
  /** With its query. */
  path: string;
  body: unknown;
}

interface Call extends Asked {
  path: string[];
  query: URLSearchParams;
  body: Record<string, unknown>;
}

/** As many threads as one page has. */
const PAGE = 50;

/** A Pageside server in memory. */
export class Server {
  readonly requests: AgentRequest[] = [];
  readonly #runs: Runs;
  readonly #options: AgentOptions;
  readonly #shares: Shares;
  /** What breaks a stream, and the run that it reads. */
  readonly #connections = new Map<() => void, Run | undefined>();

  constructor(runs: Runs, options: AgentOptions) {
    this.#runs = runs;
    this.#options = options;
    this.#shares = new Shares(options.clock ?? systemClock);
  }

  /** How many streams are open now. */
  get open(): number {
    return this.#connections.size;
  }

  /** Breaks the connections that read a run, by default all. Runs go on. */
  disconnect(run?: Run): void {
    for (const [cut, read] of [...this.#connections]) if (!run || read === run) cut();
  }

  readonly fetch: typeof fetch = async (target, init) => {
    const asked = await requestOf(target, init);
    const { url, method, text, signal } = asked;
    if (signal.aborted) throw signal.reason;
    const path = url.pathname
      .slice(url.pathname.lastIndexOf("/v1/") + 4)
      .split("/")
      .map(decodeURIComponent);
    const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
    const response = await this.#route({ ...asked, path, query: url.searchParams, body });
    return response ?? refusal(404, "not_found", `There is no ${method} ${url.pathname}.`);
  };

  #route(call: Call): Response | undefined | Promise<Response | undefined> {
    const [kind, id = "", part] = call.path;
    if (kind === "agents" && part === "run") return this.#run(call);
    this.requests.push({ method: call.method, path: pathOf(call.url), body: call.text === "" ? undefined : call.body });
    switch (kind) {
      case "agents":
        return part === "capabilities" ? this.#capabilities() : undefined;
      case "runs":
        return this.#ofRun(this.#runs.all.get(id), call);
      case "threads":
        return id === "" ? this.#list(call) : this.#ofThread(this.#runs.threads.get(id), call);
      case "shared":
        return this.#shares.read(id);
      case "limits":
        return jsonOf({ runs: { used: 0 }, quotas: [], requests: {}, run: {} });
      case "suggestions":
        return jsonOf({ suggestions: this.#options.suggestions ?? [], source: "static" });
      case "actions":
        return this.#act(id, call);
      default:
        return undefined;
    }
  }

  async #run(call: Call): Promise<Response> {
    const run = await this.#runs.start(call.body as unknown as RunInput, call.text);
    return run instanceof Response ? run : this.#stream(run.read(null, call.signal), call, run);
  }

  #ofRun(run: Run | undefined, call: Call): Response | undefined {
    if (!run) return undefined;
    if (call.path[2] === "events") return this.#stream(run.read(positionOf(call), call.signal), call, run);
    if (call.path[2] !== "cancel") return undefined;
    run.cancel();
    return new Response(null, { status: 204 });
  }

  #ofThread(thread: Thread | undefined, call: Call): Response | undefined {
    if (!thread) return undefined;
    const [, , part, itemId = ""] = call.path;
    switch (`${call.method} ${part ?? ""}`.trim()) {
      case "GET":
        return jsonOf(thread.summary());
      case "PATCH":
        return this.#change(thread, call.body);
      case "DELETE":
        thread.deletedAt = new Date().toISOString();
        return new Response(null, { status: 204 });
      case "GET events":
        return this.#follow(thread, call);
      case "GET history":
        return historyOf(thread, call);
      case "GET messages":
        return jsonOf({ messages: thread.messages(thread.head) });
      case "GET runs":
        return jsonOf(thread.listRuns());
      case "GET allowances":
        return jsonOf({ allowances: [] });
      case "GET shares":
        return this.#shares.list(thread);
      case "POST shares":
        return this.#shares.create(thread, call.body);
      case "DELETE shares":
        return this.#shares.revoke(thread, itemId);
      case "PUT payloads":
        thread.setStatus(itemId, String(call.body.status));
        return jsonOf({ status: call.body.status });
      case "PUT messages":
        return new Response(null, { status: 204 });
      default:
        return undefined;
    }
  }

  #follow(thread: Thread, call: Call): Response {
    const asked = { stay: call.query.has("stay"), history: Number(call.query.get("history") ?? 0) };
    return this.#stream(thread.read(positionOf(call), asked, call.signal), call, thread.live);
  }

  #change(thread: Thread, { title, archived, pinned, deleted, head }: Record<string, unknown>): Response {
    if (typeof title === "string") thread.title = title;
    if (typeof archived === "boolean") thread.archived = archived;
    if (typeof pinned === "boolean") thread.pinned = pinned;
    if (deleted === false) thread.deletedAt = undefined;
    if (typeof head === "string") thread.head = this.#runs.all.get(head) ?? thread.head;
    return jsonOf(thread.summary());
  }

  #list({ query }: Call): Response {
    const words = (query.get("q") ?? "").toLowerCase();
    const from = Number(query.get("cursor") ?? 0);
    const limit = Number(query.get("limit") ?? PAGE);
    const found = [...this.#runs.threads.values()]
      .reverse()
      .sort((a, b) => Number(b.pinned) - Number(a.pinned))
      .filter(({ archived, deletedAt }) =>
        query.has("deleted") ? deletedAt : !deletedAt && archived === query.has("archived"),
      )
      .filter((thread) =>
        JSON.stringify([thread.title, thread.messages(thread.head)])
          .toLowerCase()
          .includes(words),
      );
    const next = from + limit < found.length ? String(from + limit) : undefined;
    return jsonOf({
      threads: found.slice(from, from + limit).map((thread) => thread.summary()),
      ...(next && { next }),
    });
  }

  #capabilities(): Response {
    const { model = "script/test", choices } = this.#options;
    return jsonOf({ custom: { pageside: { model, scripted: true, sharing: true, choices } } });
  }

  #act(name: string, { body }: Call): Response | undefined {
    const act = this.#options.actions?.[name];
    if (!act) return undefined;
    try {
      return jsonOf(act((body.args ?? {}) as Json));
    } catch (cause) {
      return refusal(422, "failed", cause instanceof Error ? cause.message : String(cause));
    }
  }

  #stream(frames: AsyncIterable<string>, { signal }: Call, run: Run | undefined): Response {
    return streamOf(frames, signal, (cut) => {
      this.#connections.set(cut, run);
      return () => this.#connections.delete(cut);
    });
  }
}

function positionOf({ headers, query }: Call): string | null {
  return headers.get("Last-Event-ID") ?? query.get("lastEventId");
}

/** Older messages of a thread. */
function historyOf(thread: Thread, { query }: Call): Response | undefined {
  const page = thread.history(query.get("before"), Number(query.get("limit") ?? PAGE));
  return page && jsonOf(page);
}
