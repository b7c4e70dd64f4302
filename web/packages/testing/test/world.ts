/** A scripted agent and clients of it, which end with the test. */
import { createPagesideClient, type ClientOptions, type PagesideClient } from "@pageside/core";
import { expect, onTestFinished, vi } from "vitest";
import { scriptedAgent, type AgentOptions, type Part, type Rule } from "../src/index.js";

/** A client that tries again at once. */
export function clientWith(options: ClientOptions): PagesideClient {
  const client = createPagesideClient({ reconnect: { minDelay: 1 }, ...options });
  onTestFinished(() => client.destroy());
  return client;
}

/** An agent with these rules, a client of it, and what opens more of them. */
export function setUp(rules: readonly Rule[], options: AgentOptions = {}) {
  const agent = scriptedAgent(rules, options);
  const open = (more: ClientOptions = {}) => clientWith({ fetch: agent.fetch, ...more });
  return { agent, open, client: open() };
}

/** An agent that says the same to everything. */
export const replying = (...reply: (string | Part)[]) => setUp([{ reply }]);

/** Somebody looks at a client: its thread is loaded. */
export async function loaded(client: PagesideClient): Promise<PagesideClient> {
  client.subscribe(() => {});
  await vi.waitFor(() => expect(client.getSnapshot().messages.length).toBeGreaterThan(0));
  await vi.waitFor(() => expect(client.getSnapshot().loading).toBe(false));
  return client;
}
