import { fromAgUiAgent } from "@pageside/core/agui";
import { fireEvent, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { assistant, fakeClient, user } from "../../dev/fakeClient.js";
import { useAssistantAction } from "../hooks/useAssistantAction.js";
import { drawTray } from "../../test/harness.js";

function show(direct: boolean) {
  const client = fakeClient({ messages: [user("Hi"), assistant("a1", "Hello.")] });
  Object.assign(client, { identity: { url: "https://test", agent: "default", user: "", direct } });
  drawTray(client);
}

const isThere = (role: string, name: string) => screen.queryByRole(role, { name }) !== null;

/** What the tray offers that only a server can do. */
async function offered() {
  const keys = userEvent.setup();
  await screen.findByRole("button", { name: "Answer again" });
  const found = {
    history: isThere("button", "History"),
    rating: isThere("button", "Good answer"),
    rename: false,
    remove: false,
    keys: false,
    panel: false,
  };
  await keys.click(screen.getByRole("button", { name: "More" }));
  await screen.findByRole("menuitem", { name: "Keyboard shortcuts" });
  found.rename = isThere("menuitem", "Rename");
  found.remove = isThere("menuitem", "Delete conversation");
  await keys.click(screen.getByRole("menuitem", { name: "Keyboard shortcuts" }));
  await screen.findByRole("dialog", { name: "Keyboard shortcuts" });
  found.keys = screen.queryByText("Rename the conversation, in the header") !== null;
  await keys.keyboard("{Escape}");
  fireEvent.keyDown(screen.getByRole("textbox", { name: "Message" }), { key: "H", ctrlKey: true, shiftKey: true });
  found.panel = isThere("dialog", "History");
  return found;
}

describe("what only a server can do", () => {
  it.each([false, true])("is there if there is one (direct: %s)", async (direct) => {
    show(direct);
    const there = !direct;
    expect(await offered()).toEqual({ history: there, rating: there, rename: there, remove: there, keys: there, panel: there }); // prettier-ignore
  });
});

/** A response of an agent: a run with these events. */
function answer(...events: object[]): Response {
  const run = { threadId: "t", runId: "r" };
  const all = [{ type: "RUN_STARTED", ...run }, ...events, { type: "RUN_FINISHED", ...run }];
  const body = all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

function Paint({ effect, handler }: { effect?: "read"; handler: () => string }) {
  useAssistantAction({ name: "paint", description: "Paints", effect, handler });
  return null;
}

describe("a tool of the page that an agent without a server calls", () => {
  it.each([
    [undefined, "Approve"],
    ["read", undefined],
  ] as const)("asks before it changes something (effect: %s)", async (effect, button) => {
    const call = { toolCallId: "c1" };
    const runs = [
      answer({ type: "TOOL_CALL_START", ...call, toolCallName: "paint" }, { type: "TOOL_CALL_END", ...call }),
      answer({ type: "TEXT_MESSAGE_CHUNK", messageId: "a1", role: "assistant", delta: "Painted." }),
    ];
    const client = fromAgUiAgent({ url: "https://test/agent", fetch: () => Promise.resolve(runs.shift()!) });
    const handler = vi.fn(() => "done");
    drawTray(client, { page: <Paint effect={effect} handler={handler} /> });
    void client.send("paint");
    if (button) {
      const approve = await screen.findByRole("button", { name: button });
      expect(handler).not.toHaveBeenCalled();
      fireEvent.click(approve);
    }
    await screen.findByText("Painted.");
    expect(handler).toHaveBeenCalledOnce();
    client.destroy();
  });
});
