// `useChat` of @ai-sdk/react, unmodified, in Chromium.
import { after, before, describe, it } from "node:test";
import { startPages, withPage } from "./pages.mjs";
import { reloading, scenarios } from "./scenarios.mjs";

describe("@ai-sdk/react 4.0.177, useChat", () => {
  let world;
  before(async () => {
    world = await startPages(["use-chat"], { config: { dropIns: ["ai-sdk"] } });
  });
  after(() => world?.stop());
  for (const [name, scenario] of Object.entries({ ...scenarios, ...reloading })) {
    it(name, { timeout: 180_000 }, () => withPage(world, "/use-chat", (person) => scenario(person, world)));
  }
});
