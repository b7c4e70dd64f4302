import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useReveal } from "./useReveal.js";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function reveal(begin = "") {
  const hook = renderHook(({ text, streaming }) => useReveal(text, streaming), {
    initialProps: { text: begin, streaming: true },
  });
  return {
    shown: () => hook.result.current,
    show: (text: string, streaming = true) => hook.rerender({ text, streaming }),
  };
}
const wait = (milliseconds: number) => act(() => vi.advanceTimersByTime(milliseconds));

it("shows what arrives at once in steps, at most thirty a second, and soon all of it", () => {
  const { shown, show } = reveal("abc");
  expect(shown()).toBe("abc");
  const whole = "x".repeat(200);
  show(`abc${whole}`);
  expect(shown()).toBe("abc");
  const lengths = Array.from({ length: 30 }, () => (wait(10), shown().length));
  expect(new Set(lengths).size).toBeLessThanOrEqual(10);
  expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
  for (let more = 0; more < 30; more++) wait(34);
  expect(shown()).toBe(`abc${whole}`);
});

it("shows all of it at the end", () => {
  const { shown, show } = reveal();
  show("x".repeat(500));
  expect(shown()).toBe("");
  show("x".repeat(500), false);
  expect(shown()).toHaveLength(500);
});

it("waits for nothing in a hidden tab, and where less motion is wanted", () => {
  const { shown, show } = reveal();
  vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  show("x".repeat(500));
  wait(34);
  expect(shown()).toHaveLength(500);
  vi.stubGlobal("matchMedia", () => ({ matches: true }));
  show("x".repeat(900));
  expect(shown()).toHaveLength(900);
});

it("cuts no character in two", () => {
  const { shown, show } = reveal();
  show("😀".repeat(40));
  for (let step = 0; step < 40; step++) {
    wait(34);
    expect(() => encodeURIComponent(shown())).not.toThrow();
  }
});
