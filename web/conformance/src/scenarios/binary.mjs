// AG-UI's binary framing, for clients that ask for it: the same events as over Server-Sent Events.
import assert from "node:assert/strict";
import { Conversation } from "../conversation.mjs";
import { frames } from "../streams.mjs";

const BINARY = "application/vnd.ag-ui.event+proto";

const questions = [
  "say hello",
  "plan my garden",
  "weather and time in Ulm",
  "think",
  "mail and paint blue",
  "read all rows",
  "fail in the middle",
];

/** Fetches, and asks for the binary framing, which no stock client does by itself. */
function asking(types) {
  return async (address, init) => {
    const response = await fetch(address, { ...init, headers: { ...init?.headers, Accept: BINARY } });
    types.push(response.headers.get("content-type"));
    return response;
  };
}

/** The events of a run, read as Server-Sent Events. */
async function eventsOf(address) {
  const text = await (await fetch(address)).text();
  return frames(text).map((frame) => JSON.parse(frame.slice(frame.indexOf("\ndata: ") + 7)));
}

export const binary = {
  "the binary framing carries the same events": async (_start, { HttpAgent, url, query, version }) => {
    for (const question of questions) {
      const types = [];
      const c = new Conversation({ HttpAgent, url, transport: asking(types) });
      await c.say(question);
      assert.deepEqual(types, [version === 0 ? "text/event-stream" : BINARY]);
      const { runId, events } = c.turns[0];
      const expected = await eventsOf(`${url}/v1/runs/${runId}/events${query}`);
      assert.ok(expected.length > 3, question);
      if (version === 0) {
        // it was never sent the binary framing, and fills in defaults
        assert.deepEqual(
          events.map((e) => e.type),
          expected.map((e) => e.type),
        );
      } else {
        assert.deepEqual(JSON.parse(JSON.stringify(events)), expected, question);
      }
    }
  },
};
