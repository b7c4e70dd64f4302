import { beforeEach, expect, it, vi } from "vitest";
import { type PagesideClient } from "../src/index.js";
import { answer } from "./events.js";
import { setUp, type TestServer } from "./server.js";

let server: TestServer;
let client: PagesideClient;
beforeEach(() => {
  ({ server, client } = setUp());
});

/** What the console is told while two messages are sent from a page at that host. */
async function toldOn(hostname: string, level: "warn" | "info" = "warn"): Promise<string[]> {
  vi.stubGlobal("location", { hostname, href: `http://${hostname}/` });
  vi.stubGlobal("navigator", { userAgent: level === "warn" ? "jsdom" : "Mozilla/5.0" });
  const told = vi.spyOn(console, level).mockImplementation(() => {});
  server.onRun(answer("a")).onRun(answer("b", "b"));
  await client.send("Hi");
  await client.send("Again");
  await vi.dynamicImportSettled();
  return told.mock.calls.map(([text]) => String(text));
}

function filterTool(type: unknown, name: string) {
  const level = { type, enum: ["warn"], default: { type: "sting" } };
  const parameters = { type: "object", properties: { type: { type: "string" }, any: { items: { anyOf: [level] } } } };
  client.registerTool({ name, description: "", parameters, handler: () => 1 });
}

it("warns once in development of context that waits for a mention nobody can write", async () => {
  client.registerContext({ id: "1", description: "Orders", value: 1, auto: false, kind: "dynamic" });
  client.registerContext({ id: "2", description: "Rows", value: 1, auto: false, label: "@rows", kind: "dynamic" });
  client.registerContext({ id: "3", description: "Filter", value: 1, kind: "dynamic" });
  expect(await toldOn("localhost")).toEqual([expect.stringMatching(/"Orders" is never sent.*`label`/)]);
  expect(server.inputs[0]!.context.map(({ description }) => description)).toEqual(["Filter"]);
});

it("warns once in development of a type that no argument can have", async () => {
  filterTool("sting", "set_filter");
  filterTool(["string", "nul"], "set_level");
  filterTool(["string", "null"], "set_sort");
  expect(await toldOn("127.0.0.1")).toEqual([
    expect.stringMatching(/"set_filter".*parameters\.properties\.any\.items\.anyOf\.0\.type, "sting", is no type/),
    expect.stringMatching(/"set_level".*\.type, "nul", is no type/),
  ]);
});

it("says nothing of either in production", async () => {
  client.registerContext({ id: "1", description: "Other orders", value: 1, auto: false, kind: "dynamic" });
  filterTool("strng", "set_other");
  expect(await toldOn("app.example.com")).toEqual([]);
});

it("lists in development the tools without an effect, once, first those that say what they do", async () => {
  for (const name of ["scroll", "wipeAll"]) client.registerTool({ name, description: "", handler: () => 1 });
  client.registerTool({ name: "read_page", description: "", effect: "read", handler: () => 1 });
  expect(await toldOn("app.example.com", "info")).toEqual([]);
  const all = expect.stringContaining("run without asking: wipeAll, scroll. ") as string;
  expect(await toldOn("localhost", "info")).toEqual([all]);
});
