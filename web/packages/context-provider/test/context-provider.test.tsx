/** What `@osd/context-provider` has beside the package: four states, and handlers of payloads. */
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { createPagesideClient } from "@pageside/core";
import { backendCall, frontendCall, payload, scriptedAgent, type Rule } from "@pageside/testing";
import {
  AssistantActionProvider,
  AssistantProvider,
  registerPayloadHandler,
  useAssistantAction,
  usePayload,
  type RenderProps,
  type ToolStatus,
} from "@osd/context-provider";
import { AssistantTray } from "@pageside/react/tray";
import type { ReactElement } from "react";
import { expect, it } from "vitest";

/** The providers of the module, with an assistant that follows the rules. */
function open(Provider: typeof AssistantProvider, rules: readonly Rule[], ui?: ReactElement) {
  const agent = scriptedAgent(rules);
  const client = createPagesideClient({ fetch: agent.fetch });
  const shown = render(
    <Provider client={client} defaultOpen>
      {ui}
      <AssistantTray />
    </Provider>,
  );
  return { ...shown, client, send: (text: string) => act(() => client.send(text)) };
}

interface Proposal {
  title: string;
}

it.each([
  ["AssistantProvider", AssistantProvider],
  ["AssistantActionProvider", AssistantActionProvider],
])("registerPayloadHandler draws the payloads of %s, from any module", async (_, Provider) => {
  const undo = registerPayloadHandler("schema_proposal", {
    render: (data: Proposal, callbacks) => (
      <p>
        {data.title} <button onClick={callbacks.onAccept}>Take it</button>
      </p>
    ),
  });
  const rule: Rule = { reply: [payload("schema_proposal", { title: "Patients" }), "Here."] };
  const { client, send } = open(Provider, [rule]);
  const undoLater = registerPayloadHandler("results", { render: (data: Proposal) => <i>{data.title} found</i> });
  await send("Propose");
  fireEvent.click(await screen.findByText("Take it"));
  const statusOf = () =>
    client
      .getSnapshot()
      .messages.map(({ metadata }) => JSON.stringify(metadata))
      .join();
  await waitFor(() => expect(statusOf()).toContain('"status":"accepted"'));
  undoLater();
  undo();
});

it("registerPayloadHandler is below a mounted component, and can be undone", async () => {
  const undo = registerPayloadHandler("results", { render: (data: Proposal) => <i>module {data.title}</i> });
  const Hook = () => {
    usePayload<Proposal>("results", { render: ({ data }) => <i>hook {data.title}</i> });
    return null;
  };
  const { send } = open(AssistantProvider, [{ reply: [payload("results", { title: "A" }), "Here."] }], <Hook />);
  await send("Search");
  await screen.findByText("hook A");
  undo();
});

it("render knows four states", async () => {
  const seen = new Set<ToolStatus>();
  const Action = () => {
    useAssistantAction<{ row: number }>({
      name: "drop",
      description: "Drops a row.",
      requiresConfirmation: true,
      handler: () => "dropped",
      render: (props: RenderProps<{ row: number }>) => {
        seen.add(props.status);
        return <b>{props.status === "failed" ? props.error.message : props.status}</b>;
      },
    });
    return null;
  };
  const { client } = open(AssistantProvider, [{ reply: [frontendCall("drop", { row: 1 }), "Done."] }], <Action />);
  void client.send("Drop it");
  fireEvent.click(await screen.findByRole("button", { name: "Deny" }));
  await screen.findByText("The call was denied.");
  expect([...seen].every((status) => ["pending", "executing", "complete", "failed"].includes(status))).toBe(true);
});

it.each([
  ['{"error":"net"}', { status: "failed", error: { message: "net" } }],
  ['{"success":false,"error":"net"}', { status: "complete", error: undefined }],
  ['{"error":7}', { status: "complete", error: undefined }],
])("a result %s is an error if it is nothing else", async (result, want) => {
  const { client, send } = open(AssistantProvider, [{ reply: [backendCall("look", {}, { result }), "Done."] }]);
  await send("Look");
  expect(Object.values(client.getSnapshot().toolCalls)[0]).toMatchObject(want);
});
