// A tool of the page that the server has the user approve: in the tray, with the real client.
import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { call, finished, text } from "../../../../core/test/events.js";
import { setUp } from "../../../../core/test/server.js";
import { drawTray } from "../../../test/harness.js";
import { useAssistantAction } from "../../hooks/useAssistantAction.js";

type Events = Iterable<ReturnType<typeof finished>>;

const args = { row: 7 };

/** What the server sends: the question, and the call once it is approved. */
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
const [start, ...rest] = call("c1", "delete_row", args, "a2");
const giving = [
  { ...start!, metadata: { pageside: { approved: true, parentMessageId: "a1" } } } as typeof start & object,
  ...rest,
  finished({ type: "success", pendingToolCallIds: ["c1"] }),
];

/** A page whose tool asks by itself too, and a server that plays these runs. */
function open(...runs: Events[]) {
  const handler = vi.fn(() => ({ deleted: true }));
  const { server, client } = setUp({ reconnect: { giveUpAfter: 0 } });
  for (const events of runs) server.onRun(() => events);
  function Page() {
    useAssistantAction({ name: "delete_row", description: "Deletes a row", requiresConfirmation: "Really?", handler });
    return null;
  }
  drawTray(client, { page: <Page /> });
  return { client, handler, sent: server.inputs };
}

const question = { name: "Run “Delete row”?" };

it("shows the card of an approval, and runs the tool once without asking a second time", async () => {
  const { client, handler, sent } = open(asking, giving, text("a3", "It is gone."));
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
