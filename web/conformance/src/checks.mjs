// What must hold after every scenario, whatever it was about.
import assert from "node:assert/strict";
import { frames, idOf } from "./streams.mjs";

/** A stock client that reads a stream of the server in place of starting a run. */
export function follower(HttpAgent, config) {
  return new (class extends HttpAgent {
    requestInit() {
      return { method: "GET", headers: this.headers, signal: this.abortController.signal };
    }
    connect(input) {
      return this.run(input);
    }
  })(config);
}

/** What a client holds, as plain data. */
export const plain = (messages) => JSON.parse(JSON.stringify(messages));

/** A look at a thread leaves no trace: it cannot be followed afterwards. */
const isLook = (turn) => turn.events[1]?.type === "MESSAGES_SNAPSHOT";

/**
 * Where runs went on under the id of one, that id alone is the newest: an earlier one is asked for
 * by a position before its first event.
 */
function fromItsBeginning({ turns }, at) {
  const { runId, bytes } = turns[at];
  const isNewest = turns.findLastIndex((turn) => turn.runId === runId) === at;
  return isNewest ? {} : { "Last-Event-ID": idOf(frames(bytes())[0]).replace(/1$/, "0") };
}

/**
 * Every run can be read again, byte for byte, and makes the same messages of what the client sent.
 */
export async function replays(c, { HttpAgent, url, query }) {
  const reader = follower(HttpAgent, { url, threadId: c.threadId });
  reader.fetch = async (address, init) => {
    const turn = c.turns[at];
    if (isLook(turn)) return new Response(turn.bytes(), { headers: { "Content-Type": "text/event-stream" } });
    const response = await fetch(address, { ...init, headers: fromItsBeginning(c, at) });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.equal(frames(text).join(""), frames(turn.bytes()).join(""), `run ${at} reads otherwise the second time`);
    return new Response(text, { headers: response.headers });
  };
  let at = 0;
  for (; at < c.turns.length; at++) {
    const { runId, sent, kept, changed, state } = c.turns[at];
    const now = (m) => structuredClone(changed.find(({ id }) => id === m.id)) ?? m;
    reader.pendingInterrupts = [];
    reader.setState(structuredClone(state));
    reader.setMessages(reader.messages.filter((m) => kept.includes(m.id)).map(now));
    reader.url = `${url}/v1/runs/${runId}/events${query}`;
    reader.addMessages(structuredClone(sent));
    await reader.runAgent({ runId });
  }
  assert.deepEqual(plain(reader.messages), plain(c.messages), "the runs, read again, make other messages");
}

/** The thread as a client that is loaded now sees it: asked for with an empty list of messages. */
export async function looked({ HttpAgent, url, threadId, agent = "default" }) {
  const reader = new HttpAgent({ url: `${url}/v1/agents/${agent}/run`, threadId });
  await reader.runAgent();
  return reader;
}

/** The thread as a client sees it that reads the thread's stream. */
export async function connected({ HttpAgent, url, threadId, query }) {
  const reader = follower(HttpAgent, { url: `${url}/v1/threads/${threadId}/events${query}`, threadId });
  await reader.connectAgent();
  return reader;
}

/** What a conversation's client holds is what one sees that is loaded now. */
export async function reloads(conversations, world) {
  if (conversations.every((c) => c.turns.every(isLook))) return; // there is no such thread
  const { threadId } = conversations[0];
  const look = await looked({ ...world, threadId });
  const stream = await connected({ ...world, threadId });
  assert.deepEqual(
    plain(stream.messages),
    plain(look.messages),
    "the thread's stream shows other messages than a look",
  );
  assert.deepEqual(stream.pendingInterrupts, look.pendingInterrupts);
  if (conversations.length > 1 || conversations[0].differs) return;
  assert.deepEqual(
    plain(look.messages),
    plain(conversations[0].messages),
    "a client that is loaded now sees other messages",
  );
  assert.deepEqual(look.state, conversations[0].agent.state, "a client that is loaded now is given another state");
}
