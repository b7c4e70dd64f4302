// Starts @copilotkit/aimock once per chunk size given as argument, each on a free port of this
// machine, and prints their addresses as one line of JSON, in the order of the arguments. It ends
// when its standard input does.
import { LLMock } from "@copilotkit/aimock";

// The texts hold nothing beyond the basic plane: the mock cuts between the halves of a surrogate
// pair.
const started = [];
for (const size of process.argv.slice(2)) {
  const mock = new LLMock({ port: 0, chunkSize: Number(size) });
  mock.on(
    { userMessage: "two tools", hasToolResult: false },
    {
      blocks: [
        { type: "text", text: "I'll add — and look at the clock." },
        { type: "toolCall", name: "add", arguments: '{"a":2,"b":3,"note":"ü \\"五\\""}', id: "call_add" },
        { type: "toolCall", name: "now", arguments: "{}", id: "call_now" },
      ],
      reasoning: "Two tools, both at once.",
      reasoningSignature: "c2lnbmF0dXJlIG9mIHRoZSB0aG91Z2h0",
      redactedThinking: ["c2VjcmV0"],
    },
  );
  mock.on({ userMessage: "two tools", hasToolResult: true }, { content: "Five, at noon.\n\n**Ünïcode**" });
  mock.onMessage("plain", { content: "One two three, four 五." });
  mock.onMessage("cut off", { content: "This answer ends before its end.", finishReason: "length" });
  mock.onMessage("too many", { error: { message: "slow down", type: "rate_limit_error" }, status: 429 });
  mock.onMessage("busy", { error: { message: "try later", type: "overloaded_error" }, status: 529 });
  mock.onMessage("no key", { error: { message: "bad key", type: "authentication_error" }, status: 401 });
  mock.onMessage("torn", { content: "This answer is torn apart in the middle of it." }, { truncateAfterChunks: 2 });
  await mock.start();
  started.push(mock);
}
process.stdout.write(JSON.stringify(started.map((m) => m.url)) + "\n");
process.stdin.resume();
process.stdin.on("end", async () => {
  await Promise.all(started.map((m) => m.stop()));
  process.exit(0);
});
