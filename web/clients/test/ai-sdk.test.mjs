// `useChat` of @ai-sdk/react, unmodified, in Chromium, and the parser of its streams.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { DefaultChatTransport, readUIMessageStream, safeValidateUIMessages } from "ai";
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

  it("shows what an answer rests on", { timeout: 180_000 }, async () => {
    const api = `${world.server.url}/v1/ai-sdk/default`;
    const question = { id: "u", role: "user", parts: [{ type: "text", text: "cite papers" }] };
    const stream = await new DefaultChatTransport({ api }).sendMessages({
      chatId: "sources",
      messages: [question],
      trigger: "submit-message",
    });
    let answer;
    for await (answer of readUIMessageStream({ stream }));
    const { messages } = await (await fetch(`${api}/sources`)).json();
    assert.equal((await safeValidateUIMessages({ messages })).success, true, "the history is not the SDK's");
    for (const { parts } of [answer, messages.at(-1)]) {
      assert.deepEqual(
        parts
          .filter(({ type }) => type.startsWith("source-"))
          .map(({ type, sourceId, url, title }) => [type, sourceId, title, url]),
        [
          ["source-url", "1", "First study", "https://example.com/1"],
          ["source-url", "2", "Second study", "/articles/2"],
          ["source-document", "3", "A book", undefined],
        ],
      );
    }
  });
});
