import type { Extensible } from "./base/extensible.js";
import { pageApi, type PageApi } from "./page/api.js";
import { ContextRegistry } from "./page/context.js";
import { InstructionRegistry, Page, PlaceRegistry } from "./page/page.js";
import type { HttpOptions } from "./protocol/http.js";
import { threadApi, type ThreadApi } from "./thread/api.js";
import { Current, type ThreadOps } from "./thread/current.js";
import { Memory, type MemoryOptions } from "./thread/memory.js";
import type { Later, Shared } from "./thread/session.js";
import type { ReconnectOptions } from "./thread/types.js";
import { retrieveTool, toolsApi } from "./tools/api.js";
import { TOOLS, type ClientTools, type ToolParts } from "./tools/parts.js";
import { ToolRegistry } from "./tools/registry.js";
import type { FrontendTool, ToolsApi } from "./tools/types.js";

/** The options of a client. */
export interface ClientOptions extends HttpOptions, MemoryOptions {
  /**
   * The thread to continue.
   * @defaultValue the remembered one, else a new one
   */
  threadId?: string;
  /**
   * How many of its newest messages a thread opens with, in whole turns: at most 200, or 0 for all.
   * `loadOlder()` loads the others.
   * @defaultValue `100`
   */
  history?: number;
  /** `{ giveUpAfter, minDelay, maxDelay }`, in milliseconds. */
  reconnect?: ReconnectOptions;
}

/**
 * The framework-free client: one thread, its registries, and the runs on it. Safe to share between
 * components.
 */
export interface PagesideClient extends ThreadApi, PageApi, ToolsApi, Extensible {
  /**
   * The server, agent and user of this client. `direct` is set if `url` is an agent's, and no
   * Pageside server keeps the thread.
   */
  readonly identity: { readonly url: string; readonly agent: string; readonly user: string; readonly direct?: boolean };
  /**
   * Closes the client for good: ends the run's stream here and stops its tools. The server goes on.
   */
  destroy(): void;
}

/** How many messages a thread opens with: more than are in view. */
const HISTORY = 100;

/**
 * Makes a client. It requests nothing before the first subscription or message, so it may also be
 * made on a server that renders the page.
 *
 * @example
 * const client = createPagesideClient({ url: "https://assistant.example.com" });
 * client.subscribe(() => console.log(client.getSnapshot().messages));
 * await client.send("What is on this page?");
 */
export function createPagesideClient(options: ClientOptions = {}): PagesideClient {
  return clientOf(options);
}

/** Where a client remembers its thread, and what answers it where that is no Pageside server. */
export type Backend = Pick<Shared, "http" | "direct" | "memory">;

/** Makes a client of a backend, by default a Pageside server. */
export function clientOf(options: ClientOptions, backend: Backend = { memory: new Memory(options) }): PagesideClient {
  const { url = "", user = "", threadId } = options;
  const shared = sharedOf(options, backend);
  const current = new Current(shared, threadId);
  const offerItems = () => shared.tools.register(retrieveTool(shared.context) as FrontendTool);
  const parts = new Map<symbol, unknown>([[TOOLS, clientTools(shared, current)]]);
  const client: PagesideClient = {
    identity: { url, agent: shared.agent, user, direct: backend.direct && true },
    ...threadApi(current),
    ...pageApi(shared, offerItems),
    ...toolsApi(shared),
    extension<Part>(key: symbol, make: (client: PagesideClient) => Part): Part {
      if (!parts.has(key)) parts.set(key, make(client));
      return parts.get(key) as Part;
    },
    destroy: () => current.close(),
  };
  return client;
}

/** For the parts of the core that are not members of the client. */
function clientTools(parts: ToolParts, current: Current): ClientTools {
  return {
    parts,
    change: (id, change) => current.shared.engine.code?.changeCall(current.session.thread, id, change) === true,
  };
}

function sharedOf(options: ClientOptions, backend: Backend) {
  const page = new Page();
  const { agent = "default" } = options;
  const engine: Later<ThreadOps> = { load: async () => (engine.code = await import("./thread/ops.js")) };
  return {
    ...backend,
    address: options,
    agent,
    page,
    context: new ContextRegistry(page),
    tools: new ToolRegistry(page),
    instructions: new InstructionRegistry(page),
    begun: new Set(),
    questions: { open: [], viewers: 0 },
    owner: JSON.stringify([options.url ?? "", agent, options.user ?? ""]),
    places: new PlaceRegistry(),
    reconnect: options.reconnect ?? {},
    history: options.history ?? HISTORY,
    initial: [],
    engine,
  } satisfies Shared;
}
