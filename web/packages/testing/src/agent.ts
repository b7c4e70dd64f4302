import type { Message } from "@pageside/core";
import { systemClock } from "./clock.js";
import type { RunInput } from "./events.js";
import type { Reply, Rule } from "./parts.js";
import { Names } from "./performance.js";
import { Rules } from "./rules.js";
import { Runs } from "./runs.js";
import { Server, type AgentOptions, type AgentRequest } from "./server.js";
import { Thread } from "./threads.js";

/** An agent, and the server around it, in memory. */
export interface ScriptedAgent {
  /** What a client takes as its `fetch`. Any base URL will do. */
  readonly fetch: typeof fetch;
  /** What began each run, in order: messages, tools, context. */
  readonly inputs: readonly RunInput[];
  /** All other requests, in order. */
  readonly requests: readonly AgentRequest[];
  /** Adds a rule in front of those that are there. */
  on(when: Rule["when"], reply: Reply, options?: { times?: number }): void;
  /**
   * What the server keeps of a thread: the branch that is shown. Empty for one that it does not
   * know.
   */
  messages(threadId: string): readonly Message[];
  /** Breaks every connection that is open. Runs go on. */
  disconnect(): void;
}

/**
 * An assistant that does what a script says, for tests without a server and without a model: the
 * real client talks to it over the real wire format, through `fetch`. Of several rules the first
 * that fits is taken. A reply is a text, or parts: texts, calls of tools, cards, questions,
 * failures. If a part waits for the page or the user, the script continues after it once the answer
 * has come.
 *
 * It answers whatever the SDK asks of a server: runs, following and cancelling them, threads,
 * branches, cards, feedback, links to threads.
 *
 * @example
 * const agent = scriptedAgent([
 *   { when: "errors", reply: [frontendCall("set_query", { query: "5xx" }), "Here they are."] },
 *   { when: /^hello/i, reply: "Hello." },
 * ]);
 * const client = createPagesideClient({ fetch: agent.fetch });
 * client.registerTool({ name: "set_query", description: "…", handler: ({ query }) => query });
 * await client.send("Show me the errors");
 */
export function scriptedAgent(rules: readonly Rule[], options: AgentOptions = {}): ScriptedAgent {
  const { clock = systemClock, pace = 0, threads = [] } = options;
  const script = new Rules(rules, { clock, pace, names: new Names(), disconnect: (run) => server.disconnect(run) });
  const runs = new Runs((asked) => script.choose(asked));
  for (const { id, title = "", messages } of threads) {
    runs.threads.set(id, Object.assign(new Thread(id, messages), { title }));
  }
  const server = new Server(runs, options);
  return {
    fetch: server.fetch,
    inputs: runs.inputs,
    requests: server.requests,
    on: (when, reply, { times } = {}) => script.add({ when, reply, times }),
    messages: (threadId) => {
      const thread = runs.threads.get(threadId);
      return thread?.messages(thread.head) ?? [];
    },
    disconnect: () => server.disconnect(),
  };
}
