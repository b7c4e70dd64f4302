/** The components of the host application that speak to the assistant. */
import type { Extensible } from "../base/extensible.js";
import type { PageApi } from "./api.js";
import type { Capability, Plugin } from "./types.js";

type PluginClient = Extensible &
  Pick<PageApi, "pageChanged" | "restrict"> & {
    registerInitialState(id: string, value: unknown): () => void;
  };

const CAPABILITIES: readonly Capability[] = ["context", "tools", "prompts", "suggestions"];

const PLUGINS = Symbol("plugins");

/** The plug-ins of a client. */
interface PluginList {
  all: readonly Plugin[];
}

const listOf = (client: PluginClient): PluginList => client.extension(PLUGINS, () => ({ all: [] }));

/**
 * Registers a component of the application, such as a dashboard's plug-in: "what the assistant
 * sees" lists whatever has its id as `source` under its name, and what is beyond its capabilities
 * is left out. Its initial state is there at `/pluginState/<id>`. The function undoes it. Throws if
 * another plug-in has the id, or a capability is not known.
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
  const unknown = plugin.capabilities?.find((each) => !CAPABILITIES.includes(each));
  if (unknown !== undefined)
    throw new Error(`Pageside: capabilities of the plug-in "${plugin.id}": "${unknown}" is not known. There are ${CAPABILITIES.join(", ")}.`); // prettier-ignore
  const { id, capabilities, initialState } = plugin;
  const unrestrict = capabilities && client.restrict(id, capabilities);
  const forget = initialState === undefined ? undefined : client.registerInitialState(id, initialState);
  const entry = { ...plugin };
  list.all = [...list.all, entry];
  client.pageChanged();
  return () => {
    unrestrict?.();
    forget?.();
    list.all = list.all.filter((each) => each !== entry);
    client.pageChanged();
  };
}

/** The registered plug-ins, oldest first. The same array until something changes. */
export function pluginsOf(client: PluginClient): readonly Plugin[] {
  return listOf(client).all;
}
