/**
 * A client of any AG-UI agent over HTTP and server-sent events, without a Pageside server. A part
 * of its own, so that pages with a server do not load it.
 */
import { compact } from "./base/values.js";
import { clientOf, type ClientOptions, type PagesideClient } from "./client.js";
import { agentReader } from "./protocol/agent-events.js";
import { AgentHttp } from "./protocol/agent-http.js";
import { messagesFor, simplified } from "./protocol/agent-input.js";
import type { Direct, RunInput } from "./thread/direct.js";
import { KeptThread } from "./thread/kept.js";
import { Memory } from "./thread/memory.js";

/** How a page talks to an agent. */
export interface AgUiAgentOptions extends Pick<ClientOptions, "headers" | "getToken" | "fetch" | "user" | "threadId"> {
  /** Where the agent takes runs by POST. */
  url: string;
  /**
   * `"0.x"` for agents that refuse fields they do not know: no `protocolVersion`, metadata or
   * reasoning is sent. What an agent answers may be of either version.
   * @defaultValue `"1.0"`
   */
  protocol?: "1.0" | "0.x";
  /** `forwardedProps` of each run. A function is called for each. */
  forwardedProps?: Record<string, unknown> | (() => Record<string, unknown>);
  /**
   * Which calls of the page's tools wait for the user: `"changes"` those of tools whose `effect` is
   * not `"read"`, unless their `requiresConfirmation` decides; `"declared"` only those whose
   * `requiresConfirmation` says so.
   * @defaultValue `"changes"`
   */
  approvals?: "changes" | "declared";
  /**
   * Where the open thread is kept over a reload, as it was after its last run: `"tab"`
   * (`sessionStorage`), `"browser"` (`localStorage`: others who use the browser can read it), an
   * object like these, or `"none"`.
   * @defaultValue `"tab"`
   */
  memory?: ClientOptions["memory"];
}

/**
 * Makes a client that talks to an AG-UI agent itself. The page holds the thread, as stock clients
 * do: what only a server has is missing, and the tray does not show it.
 *
 * @example
 * const client = fromAgUiAgent("https://agents.example.com/research");
 * await client.send("Which papers are new?");
 */
export function fromAgUiAgent(agent: string | AgUiAgentOptions): PagesideClient {
  const options = typeof agent === "string" ? { url: agent } : agent;
  const memory = new Memory(options);
  const kept = new KeptThread(memory);
  const client = clientOf(options, {
    http: new AgentHttp(options, kept),
    direct: directOf(options, kept),
    memory,
  });
  return {
    ...client,
    follow: () => () => undefined, // no other tab has the thread
    newThread() {
      kept.clear();
      client.newThread();
    },
  };
}

function directOf({ protocol, forwardedProps, approvals }: AgUiAgentOptions, kept: KeptThread): Direct {
  return {
    asks: approvals !== "declared",
    bodyOf(input) {
      const more = typeof forwardedProps === "function" ? forwardedProps() : forwardedProps;
      const { page, tab, subtab, scope } = input.forwardedProps.pageside;
      const place = page === undefined ? undefined : { pageside: compact({ page, tab, subtab, scope }) };
      const body = { ...input, messages: messagesFor(input.messages), forwardedProps: { ...place, ...more } };
      if (protocol !== "0.x") return body;
      const { protocolVersion: _, ...simple } = body;
      return simplified(simple);
    },
    reader: (input: RunInput) => agentReader({ threadId: input.threadId, runId: input.runId }, input.messages),
    keep: (view) => kept.keep(view),
  };
}
