import { expect, it, vi } from "vitest";
import { createPagesideClient } from "../src/index.js";

vi.mock("../src/thread/ops.js", () => {
  throw new TypeError("Failed to fetch dynamically imported module");
});

it("says that the network failed where the code of runs does not come, and keeps the message", async () => {
  const client = createPagesideClient({ memory: "none" });
  await client.send("Hi");
  const { status, connection, error, messages } = client.getSnapshot();
  expect({ status, connection }).toEqual({ status: "error", connection: "offline" });
  expect(error).toMatchObject({ code: "network", retryable: true });
  expect(messages).toMatchObject([{ role: "user", content: "Hi" }]);
  client.destroy();
});
