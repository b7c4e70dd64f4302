// @vitest-environment jsdom
import { AssistantTray } from "@pageside/react/tray";
import { backendCall } from "@pageside/testing";
import { renderWithAssistant } from "@pageside/testing/react";
import { expect, it } from "vitest";
import { useAlertTools } from "./backend-tools.tsx";
import { Discover } from "./discover.ts";
import { FakeAddress, FakeApi, rowsResult } from "./testing/fake.ts";
import type { Json } from "@pageside/core";
import type { Alert } from "./types.ts";
import { DiscoverContext } from "./use-discover.ts";

const alert = {
  id: "a-1",
  name: "Missing pages",
  query: "source=access_log | where status = 404",
  threshold: 4,
  interval: "1h",
  fired: 2,
  peak: 9,
} satisfies Alert;

function Page() {
  useAlertTools();
  return null;
}

/** A page on which the assistant calls a tool that answers before anything of the call is drawn. */
function render(name: string, result: Json) {
  const api = new FakeApi((request) => rowsResult(request, 100));
  const discover = new Discover(api, new FakeAddress());
  const page = renderWithAssistant(
    <DiscoverContext value={discover}>
      <Page />
      <AssistantTray />
    </DiscoverContext>,
    { defaultOpen: true, rules: [{ reply: [backendCall(name, {}, { result }), "Done."] }] },
  );
  return { api, discover, page };
}

it("lists an alert whose making was over before it was drawn", async () => {
  const { api, discover, page } = render("create_alert", alert);
  api.saved = [alert];
  await page.send("Alert me");
  await expect.poll(() => discover.getSnapshot().alerts).toEqual([alert]);
});

it("offers to restore only what was deleted while the user looked", async () => {
  const { discover, page } = render("delete_alert", { deleted: alert });
  await page.send("Delete it");
  await page.findByText("Deleted “Missing pages”");
  expect(discover.getSnapshot().deletedAlert).toBeNull();
});
