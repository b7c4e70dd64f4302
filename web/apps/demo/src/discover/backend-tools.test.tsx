import { AssistantTray } from "@pageside/react/tray";
import { backendCall } from "@pageside/testing";
import { renderWithAssistant } from "@pageside/testing/react";
import type { ReactNode } from "react";
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

/** Sends a message to a page that draws no tray until the answer, with its call, is over. */
async function answered(name: string, result: Json) {
  const api = new FakeApi((request) => rowsResult(request, 100));
  const discover = new Discover(api, new FakeAddress());
  const page = (tray: ReactNode) => (
    <DiscoverContext value={discover}>
      <Page />
      {tray}
    </DiscoverContext>
  );
  const { send, rerender, findByText } = renderWithAssistant(page(null), {
    defaultOpen: true,
    rules: [{ reply: [backendCall(name, {}, { result }), "Done."] }],
  });
  await send("Go on");
  return { api, discover, findByText, draw: () => rerender(page(<AssistantTray />)) };
}

it("lists an alert whose making was over before it was drawn", async () => {
  const { api, discover, draw } = await answered("create_alert", alert);
  api.saved = [alert];
  draw();
  await expect.poll(() => discover.getSnapshot().alerts).toEqual([alert]);
});

it("offers to restore only what was deleted while the user looked", async () => {
  const { discover, draw, findByText } = await answered("delete_alert", { deleted: alert });
  draw();
  await findByText("Deleted “Missing pages”");
  expect(discover.getSnapshot().deletedAlert).toBeNull();
});
