import { registerPlugin, type Plugin } from "@pageside/core";
import type { ReactNode } from "react";
import { useAssistantContext } from "../context.js";
import { useLatest, useLayoutEffect } from "./effects.js";
import { SourceContext } from "./registration.js";

/**
 * Registers a part of the application as a plug-in, as long as the component is mounted: what is
 * registered with its id as `source` stands under its name in "what the assistant sees". Returns
 * the id.
 *
 * Use it in an application made of plug-ins. Where all that is inside belongs to the plug-in,
 * `<AssistantPlugin>` says so once. Code outside React calls `registerPlugin(client, plugin)`.
 *
 * @example
 * const source = usePlugin({ id: "discover", name: "Discover" });
 * useDynamicContext({ description: "Open index", value: index, source });
 */
export function usePlugin(plugin: Plugin): string {
  const { client } = useAssistantContext("usePlugin");
  const { id, name } = plugin;
  const capabilities = plugin.capabilities?.join(" ");
  const latest = useLatest(plugin);
  useLayoutEffect(() => registerPlugin(client, latest.current), [client, id, name, capabilities, latest]);
  return id;
}

/**
 * A plug-in, and whatever is inside: context, tools and instructions registered there carry its id
 * as `source`, unless they say otherwise.
 *
 * @example
 * <AssistantPlugin id="discover" name="Discover">
 *   <DiscoverApp />
 * </AssistantPlugin>
 */
export function AssistantPlugin({ children, ...plugin }: Plugin & { children?: ReactNode }) {
  return <SourceContext.Provider value={usePlugin(plugin)}>{children}</SourceContext.Provider>;
}
