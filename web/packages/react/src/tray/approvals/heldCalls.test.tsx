// A tool of the page that the server has the user approve: in the tray, with the real client.
import { createPagesideClient } from "@pageside/core";
import { render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { useAssistantAction } from "../../hooks/useAssistantAction.js";
import { AssistantProvider } from "../../provider.js";
import { AssistantTray } from "../AssistantTray.js";

type Event = Record<string, unknown>;

const text = (messageId: string, delta: string): Event[] => [
  { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId, delta },
  { type: "TEXT_MESSAGE_END", messageId },
];
const args = { row: 7 };
const finished = (outcome?: Event): Event => ({ type: "RUN_FINISHED", ...(outcome && { outcome }) });

/** What the server sends: the question, the call once it is approved, and the answer. */
const asking = [
  ...text("a1", "Deleting it."),
  finished({
    type: "interrupt",
    interrupts: [
      {
        id: "i1",
        reason: "tool_call",
        toolCallId: "c1",
        message: "The assistant wants to run delete_row.",
        metadata: { pageside: { tool: "delete_row", effect: "write", args } },
      },
    ],
  }),
];
const call = (metadata?: Event): Event[] => [
  { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "delete_row", parentMessageId: "a2", metadata },
  { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: JSON.stringify(args) },
  { type: "TOOL_CALL_END", toolCallId: "c1" },
];
const giving = [
  ...call({ pageside: { approved: true, parentMessageId: "a1" } }),
  finished({ type: "success", pendingToolCallIds: ["c1"] }),
];
const refusing = [
  ...call(),
  {
    type: "TOOL_CALL_RESULT",
    messageId: "t1",
    toolCallId: "c1",
    content: '{"error":{"code":"denied","message":"no"}}',
  },
  ...text("a3", "I left it."),
  finished(),
];

/** A page whose tool asks by itself too, and a server that plays these runs. */
function open(...runs: Event[][]) {
  const handler = vi.fn(() => ({ deleted: true }));
  const sent: { resume?: unknown }[] = [];
  const play = (url: unknown, init?: RequestInit) => {
    if (typeof init?.body !== "string" || !String(url).endsWith("/run"))
      return Promise.resolve(new Response("{}", { status: 404 }));
    const input = JSON.parse(init.body) as { threadId: string; runId: string; resume?: unknown };
    sent.push(input);
    const { threadId, runId } = input;
    const events = [{ type: "RUN_STARTED", threadId, runId }, ...(runs.shift() ?? [])];
    const body = events.map((each) => `data: ${JSON.stringify({ threadId, runId, ...each })}\n\n`).join("");
    return Promise.resolve(new Response(body, { headers: { "Content-Type": "text/event-stream" } }));
  };
  const client = createPagesideClient({
    url: "https://test",
    fetch: play as typeof fetch,
    reconnect: { giveUpAfter: 0 },
  });
  function Page() {
    useAssistantAction({ name: "delete_row", description: "Deletes a row", requiresConfirmation: "Really?", handler });
    return null;
  }
  render(
    <AssistantProvider client={client} defaultOpen>
      <Page />
      <AssistantTray />
    </AssistantProvider>,
  );
  return { client, handler, sent };
}

const question = { name: "Run “Delete row”?" };

it("shows the card of an approval, and runs the tool once without asking a second time", async () => {
  const { client, handler, sent } = open(asking, giving, [...text("a3", "It is gone."), finished()]);
  void client.send("Delete row 7");
  const card = await screen.findByRole("group", question);
  expect(within(card).getByRole("group", { name: "Arguments" }).textContent).toBe("Row7");
  expect(handler).not.toHaveBeenCalled();
  await userEvent.setup().click(within(card).getByRole("button", { name: "Approve" }));
  await screen.findByText("It is gone.");
  expect(screen.queryByText("Really?")).toBeNull();
  expect(screen.queryByRole("group", question)).toBeNull();
  expect(handler).toHaveBeenCalledExactlyOnceWith(args, expect.anything());
  expect(sent[1]).toMatchObject({ resume: [{ interruptId: "i1", status: "resolved", payload: { approved: true } }] });
});

it("does not run what the user denies", async () => {
  const { client, handler } = open(asking, refusing);
  void client.send("Delete row 7");
  const card = await screen.findByRole("group", question);
  await userEvent.setup().click(within(card).getByRole("button", { name: "Deny" }));
  await screen.findByText("I left it.");
  expect(handler).not.toHaveBeenCalled();
});

it("asks by itself where the server has not asked", async () => {
  const { client, handler } = open([...call(), finished({ type: "success", pendingToolCallIds: ["c1"] })]);
  void client.send("Delete row 7");
  await screen.findByRole("group", { name: "Really?" });
  expect(handler).not.toHaveBeenCalled();
});
