// What the server lets run without asking, in "What the assistant sees".
import type { ThreadAllowance } from "@pageside/core";
import { act, screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import type { FakeClient } from "../../../dev/fakeClient.js";
import { openSees, showTray } from "../../../test/harness.js";

const allowance = (id: string, args: ThreadAllowance["args"], active = true): ThreadAllowance => ({
  id,
  tool: "create_alert",
  args,
  scope: "thread",
  active,
  createdAt: "2026-03-12T10:00:00Z",
  expiresAt: "2026-03-13T10:00:00Z",
});

/** Opens the panel of a client whose server holds these. */
async function open(
  held: () => Promise<ThreadAllowance[]>,
  revoke?: FakeClient["threads"]["revoke"],
  everywhere: ThreadAllowance[] = [],
) {
  const { client, keys } = showTray();
  const allowances = (threadId?: string) => (threadId === undefined ? Promise.resolve(everywhere) : held());
  Object.assign(client.threads, { allowances, ...(revoke && { revoke }) });
  await openSees(keys);
  return { client, keys };
}

const NAME = "Runs without asking";

it("lists what runs on the branch that is shown, with its arguments and its end, and takes it back", async () => {
  const held = [allowance("a1", { name: "cpu" }), allowance("a2", { name: "disk" }), allowance("a3", {}, false)];
  const { client, keys } = await open(() => Promise.resolve(held));
  const list = within(await screen.findByRole("region", { name: NAME }));
  const items = list.getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(items).toHaveLength(2);
  expect(items[0]).toMatch(/^Create alertNamecpuin this conversation until \w+day .*Ask again$/);
  await keys.click(list.getAllByRole("button", { name: "Ask again: Create alert" })[0]!);
  expect(client.calls).toContainEqual(["revoke", "t1", "a1"]);
  expect(screen.getByRole("region", { name: NAME }).textContent).not.toContain("cpu");
  expect(document.activeElement).toBe(screen.getByRole("dialog", { name: "What the assistant sees" }));
});

it("lists and takes back what runs in all conversations, and says what may have any value", async () => {
  const wide = { ...allowance("u1", { to: "ann", title: "x" }), scope: "user" as const, openArgs: ["title"] };
  const { client, keys } = await open(() => Promise.resolve([allowance("a1", { name: "cpu" })]), undefined, [wide]);
  const list = within(await screen.findByRole("region", { name: NAME }));
  const items = list.getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(items[1]).toMatch(/^Create alertToannTitleany valuein all conversations until /);
  await keys.click(list.getAllByRole("button", { name: "Ask again: Create alert" })[1]!);
  expect(client.calls).toContainEqual(["revoke", undefined, "u1"]);
  expect(list.getAllByRole("listitem")).toHaveLength(1);
});

it("reads again when a run ends", async () => {
  const held: ThreadAllowance[] = [];
  const { client } = await open(() => Promise.resolve([...held]));
  expect(screen.queryByRole("region", { name: NAME })).toBeNull();
  act(() => client.show({ status: "streaming" }));
  held.push(allowance("a1", { name: "cpu" }));
  act(() => client.show({ status: "idle" }));
  expect((await screen.findByRole("region", { name: NAME })).textContent).toContain("cpu");
});

const refused = (code: string) => Promise.reject(Object.assign(new Error(code), { error: { code, message: code } }));

it("says nothing of a thread that the server does not have yet", async () => {
  await open(() => refused("not_found"));
  await act(() => Promise.resolve());
  expect(screen.queryByRole("region", { name: NAME })).toBeNull();
});

it("says where the list is not known", async () => {
  await open(() => refused("internal"));
  expect((await screen.findByRole("alert")).textContent).toMatch(/could not be read/);
});

it("shows again what could not be taken back", async () => {
  const { keys } = await open(
    () => Promise.resolve([allowance("a1", { name: "cpu" })]),
    () => refused("internal"),
  );
  await keys.click(await screen.findByRole("button", { name: "Ask again: Create alert" }));
  await waitFor(() => expect(screen.getByRole("region", { name: NAME }).textContent).toContain("cpu"));
  expect(screen.getByRole("alert")).toBeTruthy();
});
