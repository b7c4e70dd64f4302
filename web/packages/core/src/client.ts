import { Http } from "./http.js";
import { newId } from "./id.js";
import { Memory } from "./memory.js";
import {
  ContextRegistry,
  guarded,
  InstructionRegistry,
  Page,
  PlaceRegistry,
  retrieveTool,
  ToolRegistry,
} from "./registry.js";
import { loadEngine, loadLater } from "./lazy.js";
import { Batcher } from "./schedule.js";
import { Session, type Shared } from "./session.js";
import type { ClientOptions, FrontendTool, PagesideClient, QueuedMessage, ThreadSnapshot } from "./types.js";

const loadApi = () => import("./api.js");

type Parts = Awaited<ReturnType<typeof loadApi>> & Awaited<ReturnType<typeof loadLater>>;

/** The functions of a part, without the session that each takes first. */
type Bound<Name extends keyof Parts> = {
  [N in Name]: Parts[N] extends (session: Session, ...rest: infer Rest) => infer R
    ? (...rest: Rest) => R extends Promise<unknown> ? R : Promise<R>
    : never;
};

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
  const memory = new Memory(options);
  const page = new Page();
  const shared: Shared = {
    http: new Http(options),
    agent: options.agent ?? "default",
    page,
    context: new ContextRegistry(page),
    tools: new ToolRegistry(page),
    instructions: new InstructionRegistry(),
    begun: new Set(),
    confirmations: new Map(),
    places: new PlaceRegistry(),
    memory,
    reconnect: options.reconnect ?? {},
    model: undefined,
  };
  const { context, tools, places, instructions } = shared;
  const firstId = options.threadId ?? memory.read().threadId;
  const listeners = new Set<() => void>();
  /** What was not sent when its thread was left. */
  const queues = new Map<string, readonly QueuedMessage[]>();
  let followers = 0;
  let session = openSession(firstId ?? newId());
  let snapshot = read();
  let started = false;

  const batcher = new Batcher(() => {
    snapshot = read();
    for (const listener of [...listeners]) guarded(listener); // neither the run nor the others stop for one
  });

  function read(): ThreadSnapshot {
    return { ...session.thread.snapshot(), model: shared.model };
  }

  function openSession(threadId: string): Session {
    const changed = (now: boolean) => {
      if (opened !== session) return; // left meanwhile
      if (now) batcher.flush();
      else batcher.request();
    };
    const opened: Session = new Session(threadId, shared, changed, queues.get(threadId));
    return opened;
  }

  function replaceSession(threadId: string): Session {
    queues.set(session.thread.view.threadId, session.close());
    session = openSession(threadId);
    batcher.flush();
    follow();
    return session;
  }

  /** What only a page that shows the assistant needs, asked for once. */
  function start(): void {
    if (started) return;
    started = true;
    void loadEngine().catch(() => undefined); // so that it is there when the user asks
    if (firstId) void open(true);
    void loadApi()
      .then(({ readModel }) => readModel(shared))
      .then((model) => {
        shared.model = model;
        batcher.flush();
      })
      .catch(() => undefined); // the model is only for show
  }

  function follow(): void {
    if (followers > 0) void followSession().catch(() => undefined);
  }

  /** Functions that are loaded when they are first called, for the session that is open then. */
  function bind<Name extends keyof Parts & string>(load: () => Promise<object>, ...names: Name[]): Bound<Name> {
    const bound = names.map((name) => [
      name,
      async (...rest: unknown[]) => {
        const opened = session;
        const part = (await load()) as Record<string, (session: Session, ...rest: unknown[]) => unknown>;
        return part[name]!(opened, ...rest);
      },
    ]);
    return Object.fromEntries(bound) as Bound<Name>;
  }

  const { listThreads, renameThread, archiveThread, deleteThread, restoreThread, ...api } = bind(
    loadApi,
    "listThreads",
    "renameThread",
    "archiveThread",
    "deleteThread",
    "restoreThread",
    "setPayloadStatus",
    "sendFeedback",
    "runAction",
    "suggest",
  );

  const {
    open,
    follow: followSession,
    ...later
  } = bind(
    loadLater,
    "open",
    "follow",
    "stop",
    "retry",
    "reconnect",
    "editQueued",
    "removeQueued",
    "sendQueue",
    "resumePending",
    "respond",
    "cancelInterrupt",
    "edit",
    "regenerate",
    "branches",
    "switchTo",
  );

  const { url = "", user = "" } = options;
  return {
    identity: { url, agent: shared.agent, user },
    ...api,
    ...later,
    subscribe(listener) {
      listeners.add(listener);
      start();
      return () => listeners.delete(listener);
    },
    getSnapshot: () => snapshot,
    send: async (text, options = {}) => {
      if (text.trim() !== "" || options.attachments?.length) await session.send(text, options);
    },
    clearError() {
      const { thread } = session;
      const { status } = thread.view;
      thread.set({ status: status === "error" ? "idle" : status, error: undefined });
    },
    newThread: () => {
      memory.write({});
      replaceSession(newId());
    },
    openThread: (threadId) => {
      replaceSession(threadId).thread.set({ loading: true });
      return open();
    },
    follow() {
      followers++;
      follow();
      return () => {
        if (--followers === 0) session.follower?.end();
      };
    },
    listThreads: (cursor) => listThreads({ cursor }),
    threads: {
      list: listThreads,
      rename: renameThread,
      archive: archiveThread,
      delete: deleteThread,
      restore: restoreThread,
    },
    confirm: (toolCallId, answer) => shared.confirmations.get(toolCallId)?.(answer),
    updateState(change) {
      const { thread } = session;
      const before = thread.view.state;
      thread.set({ state: change(before) });
      return session.written(before, thread.view.state);
    },
    setPlace(place) {
      places.set(place);
      page.changed();
    },
    registerPlace: (part) => page.registered(places.register(part)),
    getPlace: () => places.current(),
    registerContext(entry) {
      const undo = [context.register(entry)];
      if (entry.items) undo.push(tools.register(retrieveTool(context) as FrontendTool));
      return page.registered(() => undo.forEach((each) => each()));
    },
    registerTool: (tool) => page.registered(tools.register(tool as FrontendTool)),
    registerInstructions: (entry) => page.registered(instructions.register(entry)),
    getContext: (mentions) => context.collect(mentions).map(({ item, detail: { id } }) => ({ id, ...item })),
    getContextEntries: () => context.list(),
    getInstructions: () => instructions.list(),
    getTools: () => tools.list(),
    getToolEntries: () => tools.entries(),
    setIncluded: (kind, id, included) => page.set(kind, id, included),
    isIncluded: (kind, id) => page.isOn(kind, id),
    subscribePage: (listener) => page.subscribe(listener),
    pageChanged: () => page.changed(),
    destroy() {
      listeners.clear();
      session.close();
      batcher.cancel();
    },
  };
}
