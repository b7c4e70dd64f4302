// CopilotKit's front end as npm has it, in Chromium, against the real binary: directly, and through
// CopilotKit's own runtime in Node.
import { after, before, describe, test } from "node:test";
import { Session } from "../copilotkit/session.mjs";
import { expected, only, params, scenarios } from "../copilotkit/scenarios.mjs";
import { startWorld } from "../copilotkit/world.mjs";

let world;
before(async () => (world = await startWorld()), { timeout: 240_000 });
after(() => world?.stop());

for (const version of ["v1", "v2"]) {
  for (const way of ["direct", "node"]) {
    describe(`CopilotKit ${version}, ${way}`, () => {
      for (const [name, scenario] of Object.entries(scenarios)) {
        const { version: oneVersion = version, way: oneWay = way } = only[name] ?? {};
        if (oneVersion !== version || oneWay !== way) continue;
        test(`${version}, ${way}: ${name}`, { timeout: 180_000 }, async () => {
          const session = await Session.open(world, version, way, name);
          await session.during((s) => scenario(s, world), expected[name]);
        });
      }
    });
  }
}
