// AG-UI's binary framing, for clients that ask for it: the same events as over Server-Sent Events.
import assert from "node:assert/strict";
import { plain } from "../checks.mjs";
import { Conversation } from "../conversation.mjs";
import { frames, randomOf, textOf } from "../streams.mjs";

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

/** What the decoder of 0.x does not know, and is not sent. */
const unknownTo0 = ({ type }) => /^(TOOL_CALL_RESULT|ACTIVITY_|REASONING_)/.test(type);

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
  return frames(await textOf(address)).map((frame) => JSON.parse(frame.slice(frame.indexOf("\ndata: ") + 7)));
}

/** The length of the message at the beginning of some bytes, with its header. */
const sizeOf = (bytes) => (bytes.length < 4 ? Infinity : 4 + bytes.readUInt32BE(0));

function varint(bytes, at) {
  for (let value = 0, shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return [value, at];
  }
}

/** The id of a framed event: the field 50000, which the stock decoder skips. */
function idIn(framed) {
  for (let at = 4; at < framed.length;) {
    let tag, size;
    [tag, at] = varint(framed, at);
    assert.equal(tag & 7, 2, "an event and its id are delimited by their length");
    [size, at] = varint(framed, at);
    if (tag >> 3 === 50_000) return framed.toString("utf8", at, at + size);
    at += size;
  }
  throw new Error("an event without an id");
}

/** Reads until about `budget` bytes have come, then breaks the connection. */
async function readSome(address, init, budget) {
  const broken = new AbortController();
  const headers = { ...init.headers, Accept: BINARY };
  const response = await fetch(address, { ...init, headers, signal: broken.signal });
  assert.equal(response.headers.get("content-type"), BINARY);
  let come = Buffer.alloc(0);
  for await (const chunk of response.body) {
    come = Buffer.concat([come, chunk]);
    if (come.length >= budget) break;
  }
  broken.abort();
  return come.subarray(0, budget);
}

/**
 * A transport for a connection that breaks again and again, and is taken up after the last event
 * that has come whole. `count` is told each break.
 */
function breaking(url, random, count) {
  return async (address, init) => {
    const { runId } = JSON.parse(init.body);
    let [from, request, budget] = [address, { ...init, signal: undefined }, 400];
    const whole = [];
    for (;;) {
      let come = await readSome(from, request, 1 + random(budget));
      if (come.length === 0) break; // nothing follows the last event
      budget = sizeOf(come) <= come.length ? 400 : budget * 2;
      for (let size; (size = sizeOf(come)) <= come.length; come = come.subarray(size))
        whole.push(come.subarray(0, size));
      count();
      from = `${url}/v1/runs/${runId}/events?protocolVersion=1.0`;
      request = { headers: whole.length > 0 ? { "Last-Event-ID": idIn(whole.at(-1)) } : {} };
    }
    return new Response(Buffer.concat(whole), { headers: { "Content-Type": BINARY } });
  };
}

export const binary = {
  "the binary framing carries the same events": async (_start, { HttpAgent, url, query, version }) => {
    for (const question of questions) {
      const types = [];
      const c = new Conversation({ HttpAgent, url, transport: asking(types) });
      await c.say(question);
      assert.deepEqual(types, [BINARY]);
      const { runId, events } = c.turns[0];
      const expected = await eventsOf(`${url}/v1/runs/${runId}/events${query}`);
      assert.ok(expected.length > 3, question);
      if (version === 0) {
        // it fills in defaults
        assert.deepEqual(
          events.map((e) => e.type),
          expected.filter((e) => !unknownTo0(e)).map((e) => e.type),
        );
      } else {
        assert.deepEqual(plain(events), expected, question);
      }
    }
  },

  "the binary framing: an approval, a result of the page, and the thread loaded": async (
    _start,
    { HttpAgent, url, version },
  ) => {
    const types = [];
    const open = (config) => new Conversation({ HttpAgent, url, transport: asking(types), ...config });
    const c = await open().say("mail and paint blue");
    c.answer(c.call("set_colour"), { colour: "blue" });
    await c.resume([c.interrupts[0], { approved: true }]);
    assert.match(c.last().content, /mail ada, colour blue/);
    const loaded = await open({ threadId: c.threadId }).run();
    assert.ok(loaded.sent("MESSAGES_SNAPSHOT"));
    const seen = version === 0 ? (list) => list.filter((m) => m.role !== "tool") : (list) => list;
    assert.deepEqual(plain(seen(loaded.messages)), plain(seen(c.messages)));
    assert.deepEqual(new Set(types), new Set([BINARY]));
  },

  "the binary framing: a connection that breaks anywhere goes on after the last whole event": async (
    _start,
    { HttpAgent, url, query, version },
  ) => {
    if (version === 0) return; // the test is of events that all arrive
    const random = randomOf(46);
    for (const question of [...questions, "wait for it"]) {
      let breaks = 0;
      const c = new Conversation({ HttpAgent, url, transport: breaking(url, random, () => breaks++) });
      await c.say(question);
      const { runId, events } = c.turns[0];
      assert.deepEqual(plain(events), await eventsOf(`${url}/v1/runs/${runId}/events${query}`));
      assert.ok(breaks > 1, `${question} came whole`);
    }
  },
};
