import type { ThreadSnapshot } from "@pageside/core";
import { act, render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { assistant, fakeClient, user, type FakeClient } from "../../../dev/fakeClient.js";
import { card } from "../../../dev/statesCards.js";
import { usePayload, type Payload } from "../../hooks/usePayload.js";
import { button, trayOf } from "../../../test/harness.js";

type Query = { query: string };

function Handler(props: Payload<Query>) {
  usePayload<Query>("query", props);
  return null;
}

async function show(
  messages: ThreadSnapshot["messages"],
  handler?: Payload<Query>,
  more: Partial<ThreadSnapshot> = {},
) {
  const client = fakeClient({ messages, ...more });
  const tray = (given?: Payload<Query>) => trayOf(client, { page: given && <Handler {...given} /> });
  const { rerender } = render(tray(handler));
  return { client, keys: userEvent.setup(), leave: () => rerender(tray()) };
}

/** As the server does it. */
function settling(client: FakeClient) {
  client.setPayloadStatus = vi.fn((id: string, status: string) => {
    const { messages } = client.getSnapshot();
    client.show({
      messages: messages.map((each) => (each.id === id ? { ...each, metadata: { pageside: { status } } } : each)),
    });
    return Promise.resolve();
  });
  return client.setPayloadStatus;
}

const asked = user("q");
const open = card("p1", "query", { query: "source=log" });
const settled = () => act(async () => {});

it("applies an accepted card, tells the server, and takes it back", async () => {
  const accept = vi.fn();
  const undo = vi.fn();
  const { client, keys } = await show([asked, open], {
    render: ({ data }) => <b>{data.query}</b>,
    accept,
    undo,
    title: "Query",
  });
  const setStatus = settling(client);
  expect(screen.getByRole("group", { name: "Query" }).textContent).toContain("source=log");

  await keys.click(button("Accept"));
  expect(accept.mock.calls).toEqual([[{ query: "source=log" }, "p1"]]);
  expect(setStatus).toHaveBeenLastCalledWith("p1", "accepted");
  await waitFor(() => expect(document.activeElement).toBe(button("Query: Accepted")));
  expect(screen.queryByText("source=log")).toBeNull();

  await keys.click(button("Query: Accepted"));
  expect(await screen.findByText("source=log")).toBeTruthy();
  await keys.click(await screen.findByRole("button", { name: "Undo" }));
  expect(undo.mock.calls).toEqual([[{ query: "source=log" }, "p1"]]);
  expect(setStatus).toHaveBeenLastCalledWith("p1", "open");
  await waitFor(() => expect(document.activeElement).toBe(button("Accept")));
});

it("dismisses and restores without the page's doing", async () => {
  const accept = vi.fn();
  const dismiss = vi.fn();
  const undo = vi.fn();
  const { client, keys } = await show([asked, open], { accept, dismiss, undo });
  settling(client);
  await keys.click(button("Dismiss"));
  expect(dismiss).toHaveBeenCalledOnce();
  await keys.click(await screen.findByRole("button", { name: "Restore" }));
  expect(await screen.findByRole("button", { name: "Accept" })).toBeTruthy();
  expect([accept.mock.calls, undo.mock.calls]).toEqual([[], []]);
});

it("says what went wrong and leaves the card open", async () => {
  const { client, keys } = await show([asked, open], {
    accept: () => {
      throw new Error("The index is closed");
    },
  });
  const setStatus = settling(client);
  await keys.click(button("Accept"));
  expect(screen.getByRole("alert").textContent).toBe("The index is closed");
  expect(setStatus).not.toHaveBeenCalled();
});

it("takes back what it applied where the server does not take the status", async () => {
  const undo = vi.fn();
  const { client, keys } = await show([asked, open], { accept: () => {}, undo });
  client.setPayloadStatus = () => Promise.reject(new Error("No connection"));
  await keys.click(button("Accept"));
  expect(undo).toHaveBeenCalledOnce();
  expect(screen.getByRole("alert").textContent).toBe("No connection");
});

it("grows while it is written, and is accepted only when it is whole", async () => {
  const accept = vi.fn();
  vi.spyOn(console, "error").mockImplementation(() => {});
  const handler: Payload<Query> = { render: ({ data }) => <b>{data.query!.toUpperCase()}</b>, accept };
  const grow = (content: object) => [asked, card("p1", "query", content, { streaming: true })];
  const { client, keys } = await show(grow({}), handler, { status: "streaming" });
  expect(screen.getByRole("group", { name: /Query.*being written/ }).ariaBusy).toBe("true");
  // `render` throws: what it needs is not there yet
  act(() => client.show({ messages: grow({ other: 1 }) }));
  expect(screen.queryByText("Thinking")).toBeNull();
  act(() => client.show({ messages: grow({ query: "sour" }) }));
  expect(screen.getByText("SOUR")).toBeTruthy();
  await keys.click(button("Accept"));
  expect(accept).not.toHaveBeenCalled();
  act(() => client.show({ messages: [asked, open], status: "idle" }));
  expect(screen.getByText("SOURCE=LOG")).toBeTruthy();
});

it("lists the data of a type nobody registered, in words", async () => {
  await show([asked, card("p1", "alert_proposal", { max_count: 3, on: true, mail: ["a@x.example"], nothing: null })]);
  const group = screen.getByRole("group", { name: "Alert proposal" });
  expect(group.textContent).toBe("Alert proposalMax count3OnYesMaila@x.exampleNothing–");
  expect(screen.queryByRole("button", { name: "Accept" })).toBeNull();
});

it("shows a card that failed with its reason, and the answer as finished", async () => {
  const failed = card("p1", "query", { error: { code: "invalid", message: "$.query: missing" } }, { status: "failed" });
  await show([asked, assistant("Here:"), failed], { render: () => <b>never</b> });
  expect(screen.getByRole("group", { name: "A card could not be shown" }).textContent).toContain("$.query: missing");
  expect(screen.queryByText("Not finished")).toBeNull();
  expect(screen.queryByText("never")).toBeNull();
});

it("never shows the server's notes", async () => {
  await show([asked, card("p1", "pageside_note", { kind: "page", text: "secret" }), assistant("Hello")]);
  expect(screen.queryByText(/secret/)).toBeNull();
});

it("keeps its look but not its buttons when the page is left", async () => {
  const { leave } = await show([asked, open], { render: ({ data }) => <b>{data.query}</b>, accept: () => {} });
  leave();
  await settled();
  expect(screen.getByText("source=log").tagName).toBe("B");
  await waitFor(() => expect(screen.queryByRole("button", { name: "Accept" })).toBeNull());
});

it("shows a card that its page does not offer without buttons, even where a handler is mounted", async () => {
  const accept = vi.fn();
  const readOnly = card("p1", "query", { query: "source=log" }, { readOnly: true });
  const { client } = await show([asked, readOnly], {
    accept,
    render: (props) => <b onClick={props.accept}>{props.data.query}</b>,
  });
  const setStatus = settling(client);
  const group = screen.getByRole("group", { name: "Query" });
  expect(group.querySelector("button")).toBeNull();
  expect(group.textContent).toContain("To read only: this page cannot apply it.");
  await userEvent.click(screen.getByText("source=log"));
  await settled();
  expect(accept).not.toHaveBeenCalled();
  expect(setStatus).not.toHaveBeenCalled();
});

it("shows data of an unknown type under its label, and no JSON", async () => {
  const data = { stream: "Errors", fields: [{ key: "status", type: { name: "number", of: { unit: "s" } } }] };
  await show([asked, card("p1", "pageside_block", { name: "SCHEMA_PROPOSAL", data }, { readOnly: true })]);
  const group = screen.getByRole("group", { name: "Schema proposal" });
  expect(group.textContent).toContain("Errors");
  expect(group.textContent).not.toMatch(/[{}"]/);
});

it("shows nothing of an unknown type that is still being written", async () => {
  await show([asked, card("p1", "pageside_block", {}, { readOnly: true, streaming: true })]);
  expect(screen.getByRole("group", { name: "Data, being written" }).textContent).not.toMatch(/[{}]/);
});
