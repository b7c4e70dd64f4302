import { expect, it, vi } from "vitest";
import { answer } from "./events.js";
import { TestServer } from "./server.js";

// Any import of a framework or of AG-UI's own packages at run time fails these tests.
for (const name of ["react", "react-dom", "@ag-ui/core", "@ag-ui/client"]) {
  vi.doMock(name, () => {
    throw new Error(`${name} must not be imported`);
  });
}

it("knows no framework: it works where react cannot be imported", async () => {
  await expect(import("react")).rejects.toThrow();
  const { createPagesideClient } = await import("../src/index.js");
  const server = new TestServer().onRun(answer("Hi"));
  const client = createPagesideClient({ url: "https://test", fetch: server.fetch });
  await client.send("Hello");
  expect(client.getSnapshot().messages).toHaveLength(2);
});
