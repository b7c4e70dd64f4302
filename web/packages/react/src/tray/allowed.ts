import type { PagesideClient } from "@pageside/core";

/** Tools the user allowed for the rest of a thread, by client. Nothing of it outlives the page. */
const allowed = new WeakMap<PagesideClient, Set<string>>();

const keyOf = (client: PagesideClient, tool: string) => `${client.getSnapshot().threadId} ${tool}`;

/** From now on, calls of the tool in the open thread are approved without asking. */
export function allowInThread(client: PagesideClient, tool: string): void {
  const tools = allowed.get(client) ?? new Set();
  allowed.set(client, tools.add(keyOf(client, tool)));
}

export function isAllowedInThread(client: PagesideClient, tool: string): boolean {
  return tool !== "" && (allowed.get(client)?.has(keyOf(client, tool)) ?? false);
}
