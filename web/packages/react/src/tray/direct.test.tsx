import { fireEvent, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { assistant, fakeClient, user } from "../../dev/fakeClient.js";
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

it.each([false, true])("what only a server can do is there if there is one (direct: %s)", async (direct) => {
  show(direct);
  const there = !direct;
  expect(await offered()).toEqual({ history: there, rating: there, rename: there, remove: there, keys: there, panel: there }); // prettier-ignore
});
