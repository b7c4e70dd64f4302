// Runs every scenario with one version of the stock client.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Conversation, scenarios } from "./scenarios.mjs";
import { startServer } from "./server.mjs";

/** Fails the test when the client writes a warning or an error to the console. */
function watchConsole(said) {
  const original = { warn: console.warn, error: console.error };
  console.warn = (...args) => void said.push(["warn", ...args].map(String).join(" "));
  console.error = (...args) => void said.push(["error", ...args].map(String).join(" "));
  return () => Object.assign(console, original);
}

export function suite(name, version, { HttpAgent }) {
  describe(name, () => {
    let server;
    before(async () => void (server = await startServer()));
    after(() => server.stop());
    for (const [title, run] of Object.entries(scenarios)) {
      it(title, { timeout: 30_000 }, async () => {
        const said = [];
        const restore = watchConsole(said);
        try {
          await run((options) => new Conversation({ HttpAgent, url: server.url, ...options }), {
            version,
            post: (path) =>
              fetch(server.url + path, { method: "POST" }).then((r) => assert.ok(r.ok, `${path}: ${r.status}`)),
            threadOf: async (id) => {
              const response = await fetch(`${server.url}/v1/threads/${id}/messages`);
              return (await response.json()).messages.map((m) => m.message);
            },
          });
        } finally {
          restore();
        }
        assert.deepEqual(said, [], "the client warned");
        assert.doesNotMatch(server.log(), /level=ERROR/);
      });
    }
  });
}
