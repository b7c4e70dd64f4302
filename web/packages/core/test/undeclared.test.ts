import { expect, it, vi } from "vitest";
import { remindOfEffects } from "../src/tools/undeclared.js";

const tools = [
  { name: "scroll" },
  { name: "read_page", metadata: { pageside: { effect: "read" } } },
  { name: "bulkDelete" },
];

function remindedOn(hostname: string) {
  vi.stubGlobal("location", { hostname });
  vi.stubGlobal("navigator", { userAgent: "Mozilla/5.0" });
  const info = vi.spyOn(console, "info").mockImplementation(() => {});
  remindOfEffects(tools);
  remindOfEffects(tools);
  return info.mock.calls.map(([text]) => String(text));
}

it("says nothing of them in production", () => {
  expect(remindedOn("app.example.com")).toEqual([]);
});

it("lists tools without an effect once, first those that say what they do", () => {
  expect(remindedOn("localhost")).toEqual([expect.stringContaining("run without asking: bulkDelete, scroll. ")]);
});
