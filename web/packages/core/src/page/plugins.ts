/** The components of the host application that speak to the assistant. */
import type { Extensible } from "../base/extensible.js";
import type { PageApi } from "./api.js";
import type { Plugin } from "./types.js";

type PluginClient = Extensible &
  Pick<PageApi, "pageChanged"> & { registerInitialState(id: string, value: unknown): () => void };

const PLUGINS = Symbol("plugins");

/** The plug-ins of a client. */
interface PluginList {
  all: readonly Plugin[];
}

const listOf = (client: PluginClient): PluginList => client.extension(PLUGINS, () => ({ all: [] }));

/**
 * Registers a component of the application, such as a dashboard's plug-in: "what the assistant
 * sees" lists whatever has its id as `source` under its name. Its initial state is there at
 * `/pluginState/<id>`. The function undoes it. Throws if another plug-in has the id.
 *
 * @example
 * registerPlugin(client, { id: "discover", name: "Discover", capabilities: ["context", "tools"] });
 */
export function registerPlugin(client: PluginClient, plugin: Plugin): () => void {
  const list = listOf(client);
  // The same plug-in may be mounted twice.
  const other = list.all.find(({ id, name }) => id === plugin.id && name !== plugin.name);
  if (other)
    throw new Error(`Pageside: the plug-ins "${other.name}" and "${plugin.name}" have the same id "${plugin.id}".`);
  const entry = { ...plugin };
  list.all = [...list.all, entry];
  client.pageChanged();
  const { id, initialState } = plugin;
  const undo = initialState === undefined ? undefined : client.registerInitialState(id, initialState);
  return () => {
    undo?.();
    list.all = list.all.filter((each) => each !== entry);
    client.pageChanged();
  };
}

/** The registered plug-ins, oldest first. The same array until something changes. */
export function pluginsOf(client: PluginClient): readonly Plugin[] {
  return listOf(client).all;
}
