import {
  commandsOf,
  type ContextEntry,
  type FrontendTool,
  type PagesideClient,
  type SlashCommand,
} from "@pageside/core";
import type { Page } from "./page.js";
import type { HostPayload } from "./payloads.js";

/** A context entry of a page: id and kind may be left out. */
export interface HostContext extends Omit<ContextEntry, "id" | "kind"> {
  id?: string;
}

/**
 * `window.pageside`: for scripts, what the attributes do for HTML. Every function returns one that
 * undoes it.
 */
export interface PagesideApi {
  /** The page's assistant. */
  readonly client: PagesideClient;
  registerTool(tool: FrontendTool<Record<string, unknown>>): () => void;
  registerContext(context: HostContext): () => void;
  registerCommand(command: SlashCommand): () => void;
  registerPayload(type: string, payload: Omit<HostPayload, "type">): () => void;
}

/** Makes `window.pageside` for a page. */
export function createApi(page: Page): PagesideApi {
  const { client } = page;
  let count = 0;
  return {
    client,
    registerTool: (tool) => client.registerTool(tool),
    registerContext: (context) => client.registerContext({ id: `script-${++count}`, ...context, kind: "dynamic" }),
    registerCommand: (command) => commandsOf(client).register(command),
    registerPayload: (type, payload) => page.payloads.add({ ...payload, type }),
  };
}
