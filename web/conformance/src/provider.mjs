// A mock of a model provider, whose requests can be read.
import { LLMock } from "@copilotkit/aimock";

/**
 * Starts the mock. What it answers stands here: the newest user message says which answer is
 * wanted.
 */
export async function startProvider() {
  const mock = new LLMock({ port: 0, chunkSize: 7 });
  mock.on(
    { userMessage: "a plan and more" },
    { content: 'Here it is:\n\nPLAN: {"title": "Spring", "steps": [{"name": "Sow", "days": 3}]}\n\nIs it good?' },
  );
  mock.on(
    { userMessage: "all at once", hasToolResult: false },
    {
      content: "All of it.",
      toolCalls: [
        { name: "send_mail", arguments: '{"to":"ada"}', id: "call_mail" },
        { name: "set_colour", arguments: '{"colour":"red"}', id: "call_paint" },
        { name: "get_time", arguments: '{"city":"Ulm"}', id: "call_time" },
      ],
    },
  );
  mock.on({ userMessage: "all at once", hasToolResult: true }, { content: "All done." });
  mock.onMessage(/./, { content: "Understood." });
  await mock.start();
  /** What the provider was sent last, without the system prompt. */
  const lastPrompt = () => mock.getLastRequest().body.messages.filter((m) => m.role !== "system");
  return {
    url: `${mock.url}/v1`,
    lastPrompt,
    /** The texts of the last request, and the last one of them. */
    told: () => lastPrompt().map(textOf).join("\n"),
    toldLast: () => textOf(lastPrompt().at(-1)),
    stop: () => mock.stop(),
  };
}

function textOf({ content }) {
  return typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");
}
