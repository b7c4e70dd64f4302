// Streams of events as bytes: what came over the wire, and what a connection that breaks makes of
// it.

/** Fetches, and hands over a function that returns the text that has come so far. */
export async function recorded(transport, address, init, keep) {
  const response = await transport(address, init);
  if (!response.ok || !response.body) return response;
  let text = "";
  keep(() => text);
  const decoder = new TextDecoder();
  const body = response.body.pipeThrough(
    new TransformStream({
      transform(chunk, out) {
        text += decoder.decode(chunk, { stream: true });
        out.enqueue(chunk);
      },
    }),
  );
  return new Response(body, { status: response.status, headers: response.headers });
}

/** The frames of a stream: comments and fields beside events are no part of it. */
export function frames(text) {
  return text.split(/(?<=\n\n)/).filter((frame) => frame.startsWith("id: ") && frame.endsWith("\n\n"));
}

/** The id of a frame. */
export function idOf(frame) {
  return /^id: (.*)/.exec(frame)[1];
}

/** All of a stream, or of another answer that must not be refused. */
export async function textOf(address, headers = {}) {
  const response = await fetch(address, { headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${address}: ${response.status} ${text}`);
  return text;
}

/** Numbers that look random and are the same for the same seed. */
export function randomOf(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Reads a stream until about `budget` bytes have come, then breaks the connection. */
async function readSome(address, init, budget) {
  const broken = new AbortController();
  const response = await fetch(address, { ...init, signal: broken.signal });
  if (!response.ok) throw new Error(`${address}: ${response.status} ${await response.text()}`);
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= budget) break;
  }
  broken.abort();
  return text.slice(0, budget);
}

/**
 * A transport for a connection that breaks again and again: the run is posted once and then
 * followed with Last-Event-ID, from the last whole event that came. `random` decides where it
 * breaks, `size` is how many characters come at most in one piece, more where an event is longer.
 * `between` is called after each break with what has come.
 */
export function breaking(server, query, random, size, between = () => {}) {
  return async (address, init) => {
    const { runId } = JSON.parse(init.body);
    const whole = [];
    let budget = size;
    const take = (text) => {
      const come = frames(text);
      whole.push(...come);
      budget = come.length > 0 ? size : budget * 2;
    };
    take(await readSome(address, { ...init, signal: undefined }, random(budget)));
    const follow = `${server}/v1/runs/${runId}/events${query}`;
    while (!/"type":"RUN_(FINISHED|ERROR)"/.test(whole.at(-1) ?? "")) {
      await between(whole);
      const headers = whole.length > 0 ? { "Last-Event-ID": idOf(whole.at(-1)) } : {};
      take(await readSome(follow, { headers }, random(budget)));
    }
    return new Response(whole.join(""), { headers: { "Content-Type": "text/event-stream" } });
  };
}
