import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fakeClient, user } from "../../dev/fakeClient.js";

let served: boolean;
const asked = new Set<string>();
const PARTS = ["./queue/Queue.js", "./transcript/ErrorDetails.js", "./turn/QuestionActions.js"];

beforeEach(() => {
  served = true;
  asked.clear();
  vi.resetModules();
  for (const part of PARTS) {
    vi.doMock(part, (original) => {
      asked.add(part);
      return served ? original() : Promise.reject(new Error("the server is gone"));
    });
  }
});
afterEach(async () => {
  await vi.dynamicImportSettled();
});

async function show() {
  const { AssistantProvider } = await import("../provider.js");
  const { AssistantTray } = await import("./AssistantTray.js");
  const client = fakeClient();
  render(
    <AssistantProvider client={client} defaultOpen>
      <AssistantTray />
    </AssistantProvider>,
  );
  return client;
}

it("has loaded what a broken connection needs before the server goes", async () => {
  const client = await show();
  await vi.waitFor(() => expect([...asked].sort()).toEqual([...PARTS].sort()), 10_000);
  await vi.dynamicImportSettled();
  served = false;
  const failed = { code: "network" as const, message: "The server could not be reached.", retryable: true };
  act(() =>
    client.show({
      messages: [user("q")],
      status: "error",
      error: failed,
      queue: [{ id: "m1", text: "next", mentions: [] }],
    }),
  );
  expect(await screen.findByRole("button", { name: "Remove: next" })).toBeTruthy();
  expect(screen.queryByText(/could not be loaded/)).toBeNull();
});
