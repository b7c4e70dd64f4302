import { Current } from "./current.js";
import { Http } from "./http.js";
import { Memory } from "./memory.js";
import { pageOf } from "./page-api.js";
import { ContextRegistry, InstructionRegistry, Page, PlaceRegistry, ToolRegistry } from "./registry.js";
import type { Shared } from "./session.js";
import { laterOf, serverOf, threadOf } from "./thread-api.js";
import type { ClientOptions, PagesideClient } from "./types.js";

/**
 * Makes a client. Nothing is requested before somebody subscribes or sends, so it may be made
 * anywhere, also on a server that renders the page.
 *
 * @example
 * const client = createPagesideClient({ url: "https://assistant.example.com" });
 * client.subscribe(() => console.log(client.getSnapshot().messages));
 * await client.send("What is on this page?");
 */
export function createPagesideClient(options: ClientOptions = {}): PagesideClient {
  const { url = "", user = "", threadId } = options;
  const shared = sharedOf(options);
  const current = new Current(shared, threadId);
  const parts = new Map<symbol, unknown>();
  const client: PagesideClient = {
    identity: { url, agent: shared.agent, user },
    ...serverOf(current),
    ...laterOf(current),
    ...threadOf(current),
    ...pageOf(shared),
    extension<Part>(key: symbol, make: (client: PagesideClient) => Part): Part {
      if (!parts.has(key)) parts.set(key, make(client));
      return parts.get(key) as Part;
    },
  };
  return client;
}

function sharedOf(options: ClientOptions): Shared {
  const page = new Page();
  return {
    http: new Http(options),
    agent: options.agent ?? "default",
    page,
    context: new ContextRegistry(page),
    tools: new ToolRegistry(page),
    instructions: new InstructionRegistry(),
    begun: new Set(),
    confirmations: new Map(),
    places: new PlaceRegistry(),
    memory: new Memory(options),
    reconnect: options.reconnect ?? {},
    model: undefined,
  };
}
