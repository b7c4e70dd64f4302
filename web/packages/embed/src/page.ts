import { createPagesideClient, type PagesideClient } from "@pageside/core";
import { Roots } from "./attributes/roots.js";
import { createList, type List } from "./list.js";
import type { HostPayload } from "./payloads.js";
import type { Settings } from "./settings.js";

/** What all parts of the script share in one page. */
export interface Page {
  /** The page's assistant: what the attributes and `window.pageside` speak to. */
  client: PagesideClient;
  settings: Settings;
  /** What `<pageside-tray>` takes where it has no attribute of its own: the script tag. */
  defaults: HTMLElement | undefined;
  /** The parts of the page that may declare. */
  roots: Roots;
  suggestions: List<string>;
  payloads: List<HostPayload>;
  /** The client for other settings. The same settings give the same client. */
  clientFor(settings: Settings): PagesideClient;
}

/** Makes what the parts of the script share. */
export function createPage(settings: Settings, defaults: HTMLElement | undefined): Page {
  const clients = new Map<string, PagesideClient>();
  const clientFor = ({ url, agent, user }: Settings) => {
    const key = JSON.stringify([url, agent, user]);
    let client = clients.get(key);
    // A page of a server-rendered application is left with every click: the tab remembers the
    // thread.
    if (!client) clients.set(key, (client = createPagesideClient({ url, agent, user, memory: "tab" })));
    return client;
  };
  return {
    client: clientFor(settings),
    settings,
    defaults,
    roots: new Roots(defaults?.getAttribute("data-roots")),
    suggestions: createList(),
    payloads: createList(),
    clientFor,
  };
}
