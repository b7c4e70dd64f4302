import { act } from "@testing-library/react";
import { useState } from "react";
import { expect, it } from "vitest";
import { frontendCall } from "@pageside/testing";
import { renderWithAssistant } from "@pageside/testing/react";
import {
  commandsOf,
  useAssistantAction,
  useAssistantAdditionalContext,
  useAssistantPrompts,
  useDynamicContext,
  usePageContext,
} from "../src/index.js";

function Orders() {
  usePageContext({ page: "orders" });
  useDynamicContext({ description: "Open orders", value: 3 });
  useAssistantAdditionalContext({ instructions: "Orders are in euros." });
  useAssistantAction({ name: "ship", description: "Ships an order", handler: () => "shipped" });
  useAssistantPrompts().registerCommands([{ command: "/ship", description: "Ship all", prompt: "Ship all" }]);
  return null;
}

function Reports() {
  usePageContext({ page: "reports" });
  useAssistantAction({ name: "print", description: "Prints a report", handler: () => "printed" });
  return null;
}

it("a page that was left is gone from the next request: tools, context, instructions, commands, place", async () => {
  let go = (_page: "orders" | "reports") => {};
  function App() {
    const [page, setPage] = useState<"orders" | "reports">("orders");
    go = setPage;
    return page === "orders" ? <Orders /> : <Reports />;
  }
  const { send, agent, client } = renderWithAssistant(<App />, { rules: [{ when: /./, reply: "Well." }] });
  await send("one");
  act(() => go("reports"));
  await send("two");
  const [first, second] = agent.inputs;
  expect(first!.tools.map(({ name }) => name)).toEqual(["ship"]);
  expect(JSON.stringify(first)).toContain("in euros");
  expect(second!.tools.map(({ name }) => name)).toEqual(["print"]);
  for (const left of ["Open orders", "in euros", "ship", '"page":"orders"'])
    expect(JSON.stringify(second)).not.toContain(left);
  expect(second!.forwardedProps).toMatchObject({ pageside: { page: "reports" } });
  expect(commandsOf(client).all()).toEqual([]);
});

it("a tool that goes to another page is followed by the tools of that page, in the same turn", async () => {
  function App() {
    const [isThere, setThere] = useState(false);
    useAssistantAction({ name: "open_reports", description: "Opens the reports", handler: () => setThere(true) });
    return isThere ? <Reports /> : <Orders />;
  }
  const { send, agent, lastAnswer } = renderWithAssistant(<App />, {
    rules: [{ when: /./, reply: [frontendCall("open_reports", {}), "There."] }],
  });
  await send("go");
  expect(agent.inputs.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
    ["open_reports", "ship"],
    ["open_reports", "print"],
  ]);
  expect(lastAnswer()).toBe("There.");
});
