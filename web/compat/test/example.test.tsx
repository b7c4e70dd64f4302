import { AssistantProvider, createPagesideClient } from "@pageside/react";
import { frontendCall, scriptedAgent, text } from "@pageside/testing";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { Tasks } from "../../../examples/react/Tasks.js";

it("the example's page tells what is on screen and does what the assistant asks", async () => {
  const agent = scriptedAgent([
    { reply: [frontendCall("add_task", { text: "Buy milk" }), text("It is on the list.")] },
  ]);
  const client = createPagesideClient({ url: "https://test", fetch: agent.fetch });
  render(
    <AssistantProvider client={client}>
      <Tasks />
    </AssistantProvider>,
  );
  // As in a browser: React draws when it likes, not when a test says so.
  const environment = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean };
  const before = environment.IS_REACT_ACT_ENVIRONMENT;
  environment.IS_REACT_ACT_ENVIRONMENT = false;
  await client.send("add Buy milk");
  expect(await screen.findByText("Buy milk")).toBeTruthy();
  environment.IS_REACT_ACT_ENVIRONMENT = before;
  const sent = agent.inputs.map(({ context }) => context.find((item) => item.description === "Tasks on screen")!.value);
  expect(sent.map((value) => (JSON.parse(value) as unknown[]).length)).toEqual([2, 3]);
  expect(agent.inputs[0]!.tools.map(({ name }) => name)).toEqual(["add_task", "clear_done"]);
});
