import { frontendCall, type Rule } from "@pageside/testing";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { useAssistantAction, useAssistantActionContext } from "../src/index.js";
import { mockAssistantAction as mockDefinition } from "../src/testing.js";

const parameters = { type: "object", properties: { query: { type: "string" } }, required: ["query"] };

it("an action mocked by its definition is offered, called by its name, and registered by components", async () => {
  const action = { name: "set_query", description: "Sets the query", parameters, handler: () => "the page's own" };
  const rules: Rule[] = [{ reply: [frontendCall("set_query", { query: "a" }), "Done."] }];
  const { TestWrapper, executeAction, client, agent } = mockDefinition(action, { rules });
  executeAction.mockResolvedValueOnce("approved").mockRejectedValueOnce(new Error("no"));
  function Search() {
    const { execute } = useAssistantAction(action as { name: string; description: string });
    const { executeAction: run, getToolDefinitions } = useAssistantActionContext();
    const show = (outcome: unknown) => (document.title = String(outcome));
    return (
      <>
        <button onClick={() => void run("set_query", { query: "b" }).then(show)}>Context</button>
        <button onClick={() => void execute({ query: "c" }).catch(show)}>Handle</button>
        <output>{getToolDefinitions().map(({ name }) => name)}</output>
      </>
    );
  }
  render(<Search />, { wrapper: TestWrapper });
  expect(screen.getByRole("status").textContent).toBe("set_query");
  fireEvent.click(screen.getByText("Context"));
  await waitFor(() => expect(document.title).toBe("approved"));
  fireEvent.click(screen.getByText("Handle"));
  await waitFor(() => expect(document.title).toBe("Error: no"));
  executeAction.mockImplementation((_, args) => args);
  await client.send("go");
  expect(agent.inputs.at(-1)!.messages.at(-1)).toMatchObject({ role: "tool", content: '{"query":"a"}' });
  expect(executeAction).toHaveBeenCalledTimes(3);
  expect(executeAction).toHaveBeenLastCalledWith("set_query", { query: "a" });
  expect(executeAction.mockClear().mock.calls).toEqual([]);
  executeAction.mockReturnValue(1);
  expect(await executeAction("set_query", {})).toBe(1);
  expect(mockDefinition("by_name").name).toBe("by_name");
});
