// assistant-ui, unmodified, in Chromium: its runtimes for the AI SDK and for AG-UI.
import { after, before, describe, it } from "node:test";
import { startPages, withPage } from "./pages.mjs";
import { reloading, scenarios } from "./scenarios.mjs";

const pages = {
  "@assistant-ui/react-ai-sdk 1.4.12, useChatRuntime": ["/assistant-ui-ai-sdk", scenarios],
  "@assistant-ui/react-ai-sdk 1.4.12, useAISDKRuntime": ["/assistant-ui-ai-sdk?own", { ...scenarios, ...reloading }],
  "@assistant-ui/react-ag-ui 0.0.58, useAgUiRuntime": ["/assistant-ui-ag-ui", { ...scenarios, ...reloading }],
};

describe("assistant-ui", () => {
  let world;
  before(async () => {
    const names = ["assistant-ui-ai-sdk", "assistant-ui-ag-ui"];
    world = await startPages(names, { config: { dropIns: ["ai-sdk"] } });
  });
  after(() => world?.stop());
  for (const [name, [path, played]] of Object.entries(pages)) {
    describe(name, () => {
      for (const [title, scenario] of Object.entries(played)) {
        it(title, { timeout: 180_000 }, () => withPage(world, path, (person) => scenario(person, world)));
      }
    });
  }
});
