import { expect, it, vi } from "vitest";
import { whileMounted } from "./whileMounted.js";

it("hands on what came, or why it did not, and nothing once the effect is undone", async () => {
  const show = vi.fn();
  const fail = vi.fn();
  const cause = new Error("no");
  whileMounted(Promise.resolve(1), show, fail);
  whileMounted(Promise.reject(cause), show, fail);
  whileMounted(Promise.resolve(2), show, fail)();
  whileMounted(Promise.reject(cause), show, fail)();
  await new Promise((resolve) => setTimeout(resolve));
  expect(show.mock.calls).toEqual([[1]]);
  expect(fail.mock.calls).toEqual([[cause]]);
});
