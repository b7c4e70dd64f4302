import { Http } from "./http.js";
import { newId } from "./id.js";
import { ContextRegistry, PlaceRegistry, ToolRegistry } from "./registry.js";
import { Batcher } from "./schedule.js";
import { Session, type Shared } from "./session.js";
import type { ClientOptions, FrontendTool, PagesideClient, ThreadSnapshot } from "./types.js";

const loadQueries = () => import("./queries.js");

/**
 * Makes a client. Nothing is requested before somebody subscribes or sends, so it may be made anywhere, also on a
 * server that renders the page.
 *
 * @example
 * const client = createPagesideClient({ url: "https://assistant.example.com" });
 * client.subscribe(() => console.log(client.getSnapshot().messages));
 * await client.send("What is on this page?");
 */
export function createPagesideClient(options: ClientOptions = {}): PagesideClient {
  const agent = options.agent ?? "default";
  const http = new Http(options);
  const shared: Shared = {
    http,
    agent,
    context: new ContextRegistry(),
    tools: new ToolRegistry(),
    begun: new Set(),
    places: new PlaceRegistry(),
    model: undefined,
  };
  const listeners = new Set<() => void>();
  let session = openSession(options.threadId ?? newId());
  let snapshot: ThreadSnapshot = session.snapshot();
  let started = false;

  const batcher = new Batcher(() => {
    snapshot = session.snapshot();
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch (error) {
        console.error(error); // its own trouble: neither the run nor the other listeners stop for it
      }
    }
  });

  function openSession(threadId: string): Session {
    const opened: Session = new Session(threadId, shared, (now) => {
      if (opened !== session) return; // left meanwhile
      if (now) batcher.flush();
      else batcher.request();
    });
    return opened;
  }

  function replaceSession(threadId: string): Session {
    session.close();
    session = openSession(threadId);
    batcher.flush();
    return session;
  }

  /** What only a page that shows the assistant needs, asked for once. */
  function start(): void {
    if (started) return;
    started = true;
    if (options.threadId) void session.load(true);
    void loadQueries()
      .then(({ readModel }) => readModel(http, agent))
      .then((model) => {
        shared.model = model;
        batcher.flush();
      })
      .catch(() => undefined); // the model is only for show
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      start();
      return () => listeners.delete(listener);
    },
    getSnapshot: () => snapshot,
    send: async (text, { mentions } = {}) => {
      if (text.trim() !== "") await session.send(text, mentions);
    },
    stop: () => session.stop(),
    retry: () => session.retry(),
    clearError: () => session.clearError(),
    newThread: () => void replaceSession(newId()),
    openThread: (threadId) => replaceSession(threadId).load(),
    resumePending: () => session.resumePending(),
    listThreads: async (cursor) => (await loadQueries()).listThreads(http, cursor),
    setPlace: (place) => shared.places.set(place),
    registerPlace: (part) => shared.places.register(part),
    getPlace: () => shared.places.current(),
    registerContext: (entry) => shared.context.register(entry),
    registerTool: (tool) => shared.tools.register(tool as FrontendTool),
    getContext: (mentions) => shared.context.collect(mentions).map(({ item }) => item),
    getContextEntries: () => shared.context.list(),
    getTools: () => shared.tools.list(),
    destroy() {
      listeners.clear();
      session.close();
      batcher.cancel();
    },
  };
}
