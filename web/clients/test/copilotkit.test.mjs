// CopilotKit's front end as npm has it, in Chromium, against the real binary: directly, and through
// CopilotKit's own runtime in Node. Licences, telemetry and CopilotKit's cloud are not asked for.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { expected, only, scenarios } from "../copilotkit/scenarios.mjs";
import { Session } from "../copilotkit/session.mjs";
import { startWorld } from "../copilotkit/world.mjs";

let world;
before(async () => (world = await startWorld()), { timeout: 240_000 });
after(() => world?.stop());

describe("CopilotKit", { concurrency: 2 }, () => {
  for (const version of ["v1", "v2"]) {
    for (const way of ["direct", "node"]) describe(`${version}, ${way}`, { concurrency: 1 }, () => play(version, way));
  }
});

test("CopilotKit's runtime warns of nothing", () => assert.deepEqual(world.warnings, []));

/** Runs the scenarios that there are in a version on a way to the server. */
function play(version, way) {
  for (const [name, scenario] of Object.entries(scenarios)) {
    const where = { version, way, ...only[name] };
    if (where.version !== version || where.way !== way) continue;
    test(`${version}, ${way}: ${name}`, { timeout: 240_000 }, async () => {
      const session = await Session.open(world, version, way, name);
      await session.during((s) => scenario(s, world), expected[name]);
    });
  }
}
