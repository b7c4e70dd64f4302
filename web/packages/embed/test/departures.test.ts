// Calls that leave the page: the next one answers them.
import { createPagesideClient } from "@pageside/core";
import { frontendCall, scriptedAgent, text } from "@pageside/testing";
import { expect, it, vi } from "vitest";
import { answerDeparted, departing } from "../src/attributes/departures.js";
import { Roots } from "../src/attributes/roots.js";

it("are answered once, though the page registers their tool again meanwhile", async () => {
  const agent = scriptedAgent([{ reply: [frontendCall("filter", {}), text("There is no such order.")] }]);
  const open = () => createPagesideClient({ url: "https://test", fetch: agent.fetch, memory: "tab" });
  const form = vi.fn((_: unknown, __: { toolCallId: string }) => Promise.resolve("sent again"));
  form.mockImplementationOnce((_, { toolCallId }) =>
    departing({ id: toolCallId, tool: "filter" }, () => new Promise<string>(() => {})),
  );
  const tool = { name: "filter", description: "Filters the orders", handler: form };
  const before = open();
  before.registerTool(tool);
  void before.send("Show only the late orders");
  await vi.waitFor(() => expect(form).toHaveBeenCalledTimes(1));
  before.destroy();

  const after = open();
  const register = after.registerTool.bind(after);
  // the code for forms has been loaded right after the one for arrivals
  const registered = vi.spyOn(after, "registerTool").mockImplementation((standIn) => {
    const undo = register(standIn);
    register(tool);
    return undo;
  });
  await answerDeparted(after, new Roots("html"));
  expect(registered).toHaveBeenCalledTimes(1);
  expect(form).toHaveBeenCalledTimes(1);
  const { messages, toolCalls } = after.getSnapshot();
  expect(messages.at(-1)).toMatchObject({ content: "There is no such order." });
  expect(Object.values(toolCalls)).toMatchObject([{ status: "complete", result: { success: true } }]);
  after.destroy();
});
