import { expect, it, vi } from "vitest";
import { createPagesideClient } from "../src/index.js";
import { text } from "./events.js";
import { TestServer } from "./server.js";

it("a thread that may no longer be followed is not offline: the server has answered", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const server = new TestServer();
  server.onRun(() => text("a", "one"));
  const fetch = (address: RequestInfo | URL, init?: RequestInit) =>
    String(address).includes("stay=1")
      ? Promise.resolve(Response.json({ error: { code: "forbidden_proxy", message: "forwarded" } }, { status: 403 }))
      : server.fetch(address, init);
  const client = createPagesideClient({ url: "https://test", fetch });
  await client.send("hello");
  const leave = client.follow();
  await vi.waitFor(() => expect(warn).toHaveBeenCalled());
  expect(client.getSnapshot()).toMatchObject({ status: "idle", connection: "idle" });
  leave();
});
