import { describe, expect, it, vi } from "vitest";
import { finished, text } from "./events.js";
import { refuse, setUp } from "./server.js";

/** A server that accepts one token, and a page that has another until it is asked for a new one. */
function begin(getToken: (isRefused: boolean) => string | Promise<string>) {
  const ask = vi.fn(getToken);
  const { server, client } = setUp({ getToken: ask });
  const accepted = { token: "t1" };
  server.before = ({ authorization }) =>
    authorization === `Bearer ${accepted.token}` ? undefined : refuse(401, "unauthenticated");
  server.onRun(function* () {
    yield* text("a", "one ", "two ", "three ", "four");
    yield finished();
  });
  /** The first connection ends in the middle, as the server ends it, and its token with it. */
  const endEarly = () => {
    server.network = (bytes, connection) => {
      if (connection > 0) return { pieces: [bytes], cut: false };
      accepted.token = "t2";
      return { pieces: [bytes.slice(0, bytes.length / 2)], cut: false };
    };
  };
  return { server, client, ask, accepted, endEarly };
}

const answerOf = ({ client }: ReturnType<typeof begin>) =>
  client.getSnapshot().messages.find(({ role }) => role === "assistant")?.content;

describe("the user's token", () => {
  it("goes with every request", async () => {
    const { server, client, ask } = begin(() => Promise.resolve("t1"));
    await client.send("go");
    expect(client.getSnapshot().status).toBe("idle");
    expect(server.seen.map(({ authorization }) => authorization)).toEqual(server.seen.map(() => "Bearer t1"));
    expect(ask.mock.calls).toEqual(server.seen.map(() => [false]));
  });

  it("is asked for once more when it is refused", async () => {
    const at = begin((isRefused) => (isRefused ? "t1" : "old"));
    await at.client.send("go");
    expect(answerOf(at)).toBe("one two three four");
    expect(at.ask.mock.calls.slice(0, 2)).toEqual([[false], [true]]);
    expect(at.server.inputs).toHaveLength(1);
  });

  it("is renewed when a stream ends with it: nothing is lost or repeated", async () => {
    let token = "t1";
    const at = begin((isRefused) => (isRefused ? (token = "t2") : token));
    at.endEarly();
    await at.client.send("go");
    expect(at.client.getSnapshot()).toMatchObject({ status: "idle", error: undefined });
    expect(answerOf(at)).toBe("one two three four");
    expect(at.server.inputs).toHaveLength(1);
    expect(at.server.seen.find(({ path }) => path.endsWith("/events"))?.lastEventId).toMatch(/:1\.\d+$/);
  });

  it("may be missing: then the user sees it, and the run goes on after signing in", async () => {
    let token = "t1";
    const at = begin(() => token);
    at.endEarly();
    await at.client.send("go");
    expect(at.client.getSnapshot()).toMatchObject({
      status: "error",
      connection: "idle",
      error: { code: "unauthenticated" },
    });
    expect(answerOf(at)).not.toBe("one two three four");
    token = "t2";
    await at.client.retry();
    expect(at.client.getSnapshot()).toMatchObject({ status: "idle", error: undefined });
    expect(answerOf(at)).toBe("one two three four");
    expect(at.server.inputs).toHaveLength(1);
  });

  it("may be refused for a message that the server never saw: trying again sends it once", async () => {
    let token = "bad";
    const at = begin(() => token);
    await at.client.send("go");
    expect(at.client.getSnapshot().error?.code).toBe("unauthenticated");
    expect(at.server.inputs).toHaveLength(0);
    token = "t1";
    await at.client.retry();
    expect(answerOf(at)).toBe("one two three four");
    expect(at.server.inputs).toHaveLength(1);
    expect(at.client.getSnapshot().messages.filter(({ role }) => role === "user")).toHaveLength(1);
  });

  it("that cannot be had is no request", async () => {
    const { server, client } = begin(() => Promise.reject(new Error("login required")));
    await client.send("go");
    expect(client.getSnapshot().error).toMatchObject({ code: "unauthenticated" });
    expect(server.seen).toHaveLength(0);
  });

  it("that the network withholds is tried again", async () => {
    let failures = 2;
    const at = begin(() => (failures-- > 0 ? Promise.reject(new TypeError("Failed to fetch")) : "t1"));
    await at.client.send("go");
    expect(answerOf(at)).toBe("one two three four");
  });
});
