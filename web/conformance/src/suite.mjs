// Runs every scenario with one version of the stock client.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { reloads, replays } from "./checks.mjs";
import { Conversation } from "./conversation.mjs";
import { startElsewhere } from "./elsewhere.mjs";
import { startProvider } from "./provider.mjs";
import { scenarios } from "./scenarios/index.mjs";
import { apiOf, startServer } from "./server.mjs";

/** Fails the test when the client writes a warning or an error to the console. */
function watchConsole(said) {
  const original = { warn: console.warn, error: console.error };
  console.warn = (...args) => void said.push(["warn", ...args].map(String).join(" "));
  console.error = (...args) => void said.push(["error", ...args].map(String).join(" "));
  return () => Object.assign(console, original);
}

/** What a scenario may use: `(start, world)`, where start begins a conversation. */
function worldOf(version, HttpAgent, server, { provider, elsewhere }) {
  const { url } = server;
  // A stream that is not asked for with a body says in its address which version is spoken.
  return {
    version,
    HttpAgent,
    url,
    query: version === 0 ? "" : "?protocolVersion=1.0",
    provider,
    elsewhere,
    log: server.log,
    ...apiOf(url),
  };
}

async function play(scenario, world) {
  const conversations = [];
  const start = (options) => {
    const begun = new Conversation({ HttpAgent: world.HttpAgent, url: world.url, ...options });
    conversations.push(begun);
    return begun;
  };
  const whole = async () => {
    await scenario(start, world);
    for (const c of conversations) await replays(c, world);
    for (const list of byThread(conversations)) await reloads(list, world);
  };
  const late = deadline();
  try {
    await Promise.race([whole(), late.passed]);
  } catch (cause) {
    const log = world.log().split("\n").slice(-30).join("\n");
    throw new Error(`${conversations.map((c) => c.told()).join("\n")}\nthe server's log:\n${log}`, { cause });
  } finally {
    late.end();
  }
}

/** How long a scenario may take, in milliseconds: a guard against what hangs. */
const LIMIT = 200_000;

function deadline() {
  let timer;
  const passed = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the scenario did not end within ${LIMIT / 1000} s`)), LIMIT);
  });
  return { passed, end: () => clearTimeout(timer) };
}

function byThread(conversations) {
  const threads = new Map();
  for (const c of conversations) threads.set(c.threadId, [...(threads.get(c.threadId) ?? []), c]);
  return threads.values();
}

/** The errors in a log, but for that of the tool that is made to panic. */
function errorsIn(log) {
  return log.split("\n").filter((line) => line.includes("level=ERROR") && !line.includes("tool=crash"));
}

export function suite(name, version, { HttpAgent }) {
  describe(name, () => {
    let server, provider, elsewhere;
    before(async () => {
      [provider, elsewhere] = await Promise.all([startProvider(), startElsewhere()]);
      server = await startServer(provider.url, elsewhere);
    });
    after(async () => {
      // What did start would keep the tests from ending where the server could not be started.
      await server?.stop();
      await Promise.all([provider?.stop(), elsewhere?.stop()]);
    });
    for (const [title, scenario] of Object.entries(scenarios)) {
      it(title, { timeout: LIMIT + 60_000 }, async () => {
        const said = [];
        const restore = watchConsole(said);
        const logged = server.log().length;
        try {
          await play(scenario, worldOf(version, HttpAgent, server, { provider, elsewhere }));
        } finally {
          restore();
        }
        assert.deepEqual(said, [], "the client warned");
        assert.deepEqual(errorsIn(server.log().slice(logged)), [], "the server logged errors");
      });
    }
  });
}
