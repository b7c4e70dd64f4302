// Each entry of @pageside/core beside the main one, used once. Node, TypeScript, Vite and Next.js
// must all find them in what is installed.
import { createPagesideClient } from "@pageside/core";
import { fromAgUiAgent } from "@pageside/core/agui";
import { pageCallsOf } from "@pageside/core/calls";
import { ChatStream } from "@pageside/core/chat";
import { findMentions } from "@pageside/core/mentions";
import { decodeRison } from "@pageside/core/rison";
import { disclosureOf } from "@pageside/core/server";

const url = "http://agent.test";

/** What each of them makes of a little input. */
export async function entries() {
  const agent = fromAgUiAgent(url);
  const client = createPagesideClient({ url, fetch: async () => Response.json({ agent: "clerk" }) });
  try {
    return {
      agui: agent.getSnapshot().messages.length,
      calls: Object.keys(pageCallsOf(agent).all()).length,
      chat: await textOf(`data: {"type":"text_delta","text":"Hello"}\n\n`),
      mentions: findMentions("Sort @orders", [{ id: "o", label: "orders" }]).map(({ id }) => id),
      rison: decodeRison("(status:open)"),
      server: (await disclosureOf(client)).agent,
    };
  } finally {
    agent.destroy();
    client.destroy();
  }
}

/** @param {string} events */
async function textOf(events) {
  let text = "";
  for await (const event of new ChatStream(
    new Response(events, { headers: { "Content-Type": "text/event-stream" } }),
  )) {
    if (event.type === "text_delta") text += event.text;
  }
  return text;
}
