import { createPagesideClient, type PagesideClient } from "@pageside/core";
import { createList, type List } from "../../react/src/ui/list.js";
import { Roots } from "./attributes/roots.js";
import type { HostPayload } from "./payloads.js";
import type { Settings } from "./settings.js";

/** What the parts of the script share on a page. */
export interface Page {
  /** The page's assistant, which the attributes and `window.pageside` use. */
  client: PagesideClient;
  settings: Settings;
  /** The script tag, whose attributes are the defaults of `<pageside-tray>`. */
  defaults: HTMLElement | undefined;
  /** The parts of the page that may declare. */
  roots: Roots;
  /** Names of tools whose forms are sent without a question: `data-unasked` of the script tag. */
  unasked: ReadonlySet<string>;
  suggestions: List<string>;
  payloads: List<HostPayload>;
  /** The client for other settings. The same settings give the same client. */
  clientFor(settings: Settings): PagesideClient;
}

/**
 * Makes the shared parts. `home` is the server that the script tag names: the user's token goes
 * there and nowhere else, whatever `<pageside-tray>` asks for.
 */
export function createPage(settings: Settings, defaults: HTMLElement | undefined, home: string): Page {
  const clients = new Map<string, PagesideClient>();
  const named = defaults?.getAttribute("data-token");
  const clientFor = ({ url, agent, user }: Settings) => {
    const key = JSON.stringify([url, agent, user]);
    let client = clients.get(key);
    // A server-rendered page is left with every click, so the tab remembers the thread.
    if (!client) {
      const getToken = named && url === home ? tokenFunction(named) : undefined;
      clients.set(key, (client = createPagesideClient({ url, agent, user, getToken })));
    }
    return client;
  };
  return {
    client: clientFor(settings),
    settings,
    defaults,
    roots: new Roots(defaults?.getAttribute("data-roots")),
    unasked: namesIn(defaults?.getAttribute("data-unasked")),
    suggestions: createList(),
    payloads: createList(),
    clientFor,
  };
}

const namesIn = (list: string | null | undefined) =>
  new Set(
    (list ?? "")
      .split(",")
      .map((name) => name.trim())
      .filter(Boolean),
  );

/** Calls the page's global function of that name, whenever it is defined. */
const tokenFunction = (name: string) => (isRefused: boolean) => {
  const global = (window as unknown as Record<string, unknown>)[name];
  if (typeof global !== "function") throw new Error(`data-token: there is no global function ${name}.`);
  return (global as (isRefused: boolean) => string | Promise<string>)(isRefused);
};
