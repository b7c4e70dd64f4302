// Each entry beside the main one of a package, used once. Node, TypeScript, Vite and Next.js
// must all find them in what is installed.
import { ChatStream } from "@pageside/context-provider/chat";
import { decodeRison } from "@pageside/context-provider/rison";
import { uiActionsOf } from "@pageside/context-provider/ui-actions";
import { createPagesideClient } from "@pageside/core";
import { fromAgUiAgent } from "@pageside/core/agui";
import { pageCallsOf } from "@pageside/core/calls";
import { fold } from "@pageside/core/events";
import { findMentions } from "@pageside/core/mentions";
import { textOf as textOfMessage } from "@pageside/core/messages";
import { checkArguments } from "@pageside/core/running";
import { disclosureOf } from "@pageside/core/server";
import { readSse } from "@pageside/core/sse";

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
      events: fold({ messages: [], state: undefined }, { type: "STATE_SNAPSHOT", snapshot: 7 }).state,
      mentions: findMentions("Sort @orders", [{ id: "o", label: "orders" }]).map(({ id }) => id),
      messages: textOfMessage([{ type: "text", text: "Hello" }]),
      rison: decodeRison("(status:open)"),
      running: await checkArguments({ n: 1 }, { type: "object", required: ["n"] }),
      server: (await disclosureOf(client)).agent,
      sse: (await eventsOf("data: a\n\ndata: b\n\n")).length,
      "ui-actions": uiActionsOf(client).getActions().length,
    };
  } finally {
    agent.destroy();
    client.destroy();
  }
}

/** @param {string} text */
async function eventsOf(text) {
  const events = [];
  for await (const batch of readSse(/** @type {ReadableStream<Uint8Array>} */ (new Response(text).body))) {
    events.push(...batch);
  }
  return events;
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
