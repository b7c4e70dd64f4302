import { createPagesideClient } from "@pageside/core";
import { scriptedAgent } from "@pageside/testing";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { useAssistantActions } from "../../hooks/useAssistant.js";
import { useAssistantAction } from "../../hooks/useAssistantAction.js";
import { useAssistantState } from "../../hooks/useAssistantState.js";
import { useDynamicContext } from "../../hooks/useDynamicContext.js";
import { usePageContext } from "../../hooks/usePageContext.js";
import { usePayload } from "../../hooks/usePayload.js";
import { drawTray } from "../../../test/harness.js";

/** A page with a closed tray, and the paths that were requested. */
function visit(threadId?: string) {
  const messages = [{ id: "u1", role: "user" as const, content: "Before" }];
  const agent = scriptedAgent([{ reply: "Hello." }], { threads: [{ id: "old", title: "Old", messages }] });
  const requested: string[] = [];
  const fetch: typeof agent.fetch = (url, init) => {
    requested.push(String(url).replace(/\?.*/, ""));
    return agent.fetch(url, init);
  };
  const client = createPagesideClient({ fetch, threadId });
  drawTray(client, { page: <Page />, isOpen: false });
  return { client, requested };
}

let renders = 0;

function Page() {
  renders++;
  useDynamicContext({ description: "The rows", value: [1, 2] });
  usePageContext({ page: "orders" });
  usePayload("note", { render: () => null });
  useAssistantAction({ name: "show", description: "Shows the orders", handler: () => undefined });
  useAssistantState();
  const { toggle } = useAssistantActions();
  return <button onClick={toggle}>Toggle</button>;
}

const input = () => screen.queryByRole("textbox", { name: "Message", hidden: true });

it("opening and closing renders no component that only tells the assistant something", async () => {
  const { client } = visit();
  const before = renders;
  for (const isOpen of [true, false]) {
    fireEvent.click(screen.getByText("Toggle"));
    expect(document.querySelector(".ps-tray")!.hasAttribute("inert")).toBe(!isOpen);
  }
  await act(() => client.listThreads());
  expect(renders).toBe(before);
});

it("a closed tray that nobody touches requests nothing and draws no conversation", async () => {
  const { client, requested } = visit();
  await act(() => client.listThreads()); // by then, whatever had begun would have been requested
  expect(requested).toEqual(["/v1/threads"]);
  expect(input()).toBeNull();
});

it.each(["focus", "pointerEnter"] as const)("a closed tray gets ready at the launcher's %s", async (event) => {
  const { requested } = visit();
  fireEvent[event](screen.getByRole("button", { name: "Open Assistant" }));
  expect(input()).not.toBeNull();
  await waitFor(() => expect(requested).toContain("/v1/agents/default/capabilities"));
});

it("a closed tray gets ready when the page itself asks", async () => {
  const { client } = visit();
  await act(() => client.send("Hi"));
  await waitFor(() => expect(document.querySelector(".ps-tray")!.textContent).toContain("Hello."));
});

it("a closed tray loads the thread there is", async () => {
  const { requested } = visit("old");
  await waitFor(() => expect(document.querySelector(".ps-tray")!.textContent).toContain("Before"));
  expect(requested).toContain("/v1/threads/old/events");
});
