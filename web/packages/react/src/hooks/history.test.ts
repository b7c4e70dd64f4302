import { expect, it, vi } from "vitest";
import { watchHistory } from "./history.js";

it("notices what was written before it was there, what is written then, and nothing once it is over", () => {
  const over = new AbortController();
  const check = vi.fn();
  watchHistory(check, over.signal);
  expect(check).toHaveBeenCalledTimes(1);
  history.replaceState(null, "", "/");
  window.dispatchEvent(new PopStateEvent("popstate"));
  expect(check).toHaveBeenCalledTimes(3);
  const { replaceState } = history;
  over.abort();
  expect(history.replaceState).not.toBe(replaceState);
  replaceState.call(history, null, "", "/"); // as other code calls it that has wrapped it
  window.dispatchEvent(new PopStateEvent("popstate"));
  expect(check).toHaveBeenCalledTimes(3);
});
