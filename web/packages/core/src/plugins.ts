/** The components of the host application that speak to the assistant. */
import type { Plugin } from "./types-page.js";
import type { PagesideClient } from "./types.js";

const PLUGINS = Symbol("plugins");

/** The plug-ins of a client. */
interface PluginList {
  all: readonly Plugin[];
}

const listOf = (client: PagesideClient): PluginList => client.extension(PLUGINS, () => ({ all: [] }));

/**
 * Says that a component of the application, a plug-in of a dashboard, say, speaks to the assistant:
 * what it registers with its id as `source` stands under its name in "what the assistant sees". The
 * function undoes it. Throws where another plug-in has the id.
 *
 * @example
 * registerPlugin(client, { id: "discover", name: "Discover", capabilities: ["context", "tools"] });
 */
export function registerPlugin(client: PagesideClient, plugin: Plugin): () => void {
  const list = listOf(client);
  // One that looks the same is the same, mounted twice.
  const other = list.all.find(({ id, name }) => id === plugin.id && name !== plugin.name);
  if (other)
    throw new Error(`Pageside: the plug-ins "${other.name}" and "${plugin.name}" have the same id "${plugin.id}".`);
  const entry = { ...plugin };
  list.all = [...list.all, entry];
  client.pageChanged();
  return () => {
    list.all = list.all.filter((each) => each !== entry);
    client.pageChanged();
  };
}

/**
 * The plug-ins that are registered now, in the order in which they came. The same array until
 * something changes.
 */
export function pluginsOf(client: PagesideClient): readonly Plugin[] {
  return listOf(client).all;
}
