import { act, renderHook } from "@testing-library/react";
import { StrictMode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { useReveal } from "./useReveal.js";

let reducedMotion: boolean;
beforeEach(() => {
  vi.useFakeTimers();
  reducedMotion = false;
  vi.stubGlobal("matchMedia", () => ({ matches: reducedMotion }));
});

interface Props {
  text: string;
  streaming: boolean;
}

function reveal(begin = "", isNew = false) {
  let renders = 0;
  const hook = renderHook(
    ({ text, streaming }: Props) => {
      renders++;
      return useReveal(text, streaming, isNew);
    },
    { initialProps: { text: begin, streaming: true }, wrapper: StrictMode },
  );
  return {
    shown: () => hook.result.current,
    show: (text: string, streaming = true) => hook.rerender({ text, streaming }),
    renders: () => renders,
  };
}
const wait = (milliseconds: number) => act(() => vi.advanceTimersByTime(milliseconds));

/** What is arrived at a moment, and whether more will come. */
type Arrived = (at: number) => Props;

/** An answer of words that arrive `count` at a time, every so many milliseconds. */
function words(number: number, every: number, count = 1): [Arrived, number] {
  const all = Array.from({ length: number }, (_, index) => `word${index % 10} `).join("");
  const end = Math.ceil(number / count) * every;
  return [(at) => ({ text: all.slice(0, Math.floor(at / every) * count * 6), streaming: at < end }), end];
}

/** Shows it, millisecond by millisecond, until all is shown, and measures. */
function measure([arrived, end]: [Arrived, number]) {
  const { text: all } = arrived(end);
  const { shown, show } = reveal(arrived(0).text);
  const arrivals: [at: number, length: number][] = [];
  const found = { gap: 0, jump: 0, behind: 0, shown: "", steps: 0 };
  let painted: number | undefined;
  let before = 0;
  for (let at = 1; at <= end + 300; at++) {
    const now = arrived(at);
    if (now.text.length !== (arrivals.at(-1)?.[1] ?? 0)) {
      arrivals.push([at, now.text.length]);
      show(now.text, now.streaming);
    } else if (at === end) show(now.text, false);
    wait(1);
    const { length } = shown();
    if (length !== before) {
      if (painted !== undefined && at <= end) found.gap = Math.max(found.gap, at - painted);
      found.jump = Math.max(found.jump, length - before);
      found.steps++;
      painted = at;
      before = length;
    }
    const [since] = arrivals.find(([, arrived]) => arrived > length) ?? [at];
    found.behind = Math.max(found.behind, at - since);
  }
  return { ...found, jump: found.jump / all.length, shown: shown() === all };
}

describe("whatever the rate", () => {
  it.each([1, 5, 10, 20, 33, 60, 100, 200])("a word every %i ms is shown at once, evenly, and to its end", (every) => {
    const found = measure(words(100, every));
    expect(found.shown).toBe(true);
    expect(found.gap).toBeLessThan(100);
    expect(found.behind).toBeLessThanOrEqual(250);
    // 100 words in 100 ms come almost at once
    expect(found.jump).toBeLessThanOrEqual(every === 1 ? 1 / 10 : 1 / 20);
  });

  it.each([
    [10, 300],
    [25, 200],
    [50, 1000],
  ])("so are bursts of %i words every %i ms", (count, every) => {
    const found = measure(words(100, every, count));
    expect(found.shown).toBe(true);
    expect(found.behind).toBeLessThanOrEqual(250);
    expect(found.jump).toBeLessThanOrEqual(1 / 20);
  });

  it("a stall holds nothing up, and what comes after it neither", () => {
    const all = "x".repeat(1000);
    const [arrived, end]: [Arrived, number] = [
      (at) => ({
        text: all.slice(0, at < 10 ? 0 : at < 500 ? 250 : at < 3000 ? 500 : at < 3050 ? 750 : 1000),
        streaming: at < 3100,
      }),
      3100,
    ];
    const found = measure([arrived, end]);
    expect(found.shown).toBe(true);
    expect(found.behind).toBeLessThanOrEqual(250);
    expect(found.jump).toBeLessThanOrEqual(1 / 20);
  });

  it("what comes in one piece takes as many steps as there are frames in a fifth of a second", () => {
    const found = measure([(at) => ({ text: at < 10 ? "" : "x".repeat(700), streaming: at < 11 }), 11]);
    expect(found.shown).toBe(true);
    expect(found.steps).toBeGreaterThanOrEqual(11);
    expect(found.behind).toBeLessThanOrEqual(250);
    expect(found.jump).toBeLessThanOrEqual(1 / 10);
  });
});

it("shows no more than others do in a frame that is late, and is never a quarter of a second behind", () => {
  const frames: FrameRequestCallback[] = [];
  vi.stubGlobal("requestAnimationFrame", (callback: FrameRequestCallback) => frames.push(callback));
  const { shown, show } = reveal();
  const lengths: number[] = [0];
  let text = "";
  for (let frame = 0; frame < 60; frame++) {
    // Each fifth frame takes three times as long.
    const gap = frame % 5 === 4 ? 51 : 17;
    for (let at = 0; at < gap; at++) {
      vi.advanceTimersByTime(1);
      text += "x";
    }
    show(text);
    act(() => frames.splice(0).forEach((each) => each(performance.now())));
    lengths.push(shown().length);
    expect(text.length - shown().length).toBeLessThanOrEqual(230);
  }
  const steps = lengths.map((length, index) => length - (lengths[index - 1] ?? 0)).slice(15);
  expect(Math.max(...steps)).toBeLessThan(45); // 51 came
});

it("keeps one loop for the whole answer, and none afterwards", () => {
  const asked = vi.spyOn(globalThis, "requestAnimationFrame");
  const given = vi.spyOn(globalThis, "cancelAnimationFrame");
  const { show } = reveal();
  const before = given.mock.calls.length;
  for (let index = 1; index < 100; index++) {
    show("x".repeat(index));
    wait(5);
  }
  expect(given.mock.calls.length).toBe(before);
  expect(asked.mock.calls.length).toBeLessThanOrEqual(500 / 16 + 4);
  show("x".repeat(100), false);
  wait(300);
  asked.mockClear();
  wait(1000);
  expect(asked).not.toHaveBeenCalled();
});

it("renders nothing where nothing comes", () => {
  const { renders, show } = reveal();
  show("some words");
  for (let frame = 0; frame < 30; frame++) wait(17);
  const before = renders();
  for (let frame = 0; frame < 60; frame++) wait(17);
  expect(renders()).toBe(before);
});

it("shows the rest within a quarter of a second when the answer is over", () => {
  const { shown, show } = reveal();
  show("x".repeat(500));
  wait(20);
  show("x".repeat(500), false);
  expect(shown().length).toBeLessThan(100);
  wait(230);
  expect(shown()).toHaveLength(500);
});

it("shows at once what was there before, and what is new from its beginning", () => {
  expect(reveal("x".repeat(500)).shown()).toHaveLength(500);
  const { shown } = reveal("x".repeat(500), true);
  expect(shown()).toHaveLength(1);
  wait(100);
  expect(shown().length).toBeGreaterThan(100);
  wait(130);
  expect(shown()).toHaveLength(500);
});

it("shows at once what takes the place of another text, and what is shorter", () => {
  const { shown, show } = reveal("the first text");
  show("another text, and a longer one");
  wait(17);
  expect(shown()).toBe("another text, and a longer one");
  show("short");
  expect(shown()).toBe("short");
  show(`short${"x".repeat(200)}`);
  wait(17);
  expect(shown().length).toBeLessThan(50);
  wait(240);
  expect(shown()).toHaveLength(205);
});

it("waits for nothing in a hidden tab, and takes nothing back when it is seen again", () => {
  const { shown, show } = reveal();
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  show("x".repeat(500));
  expect(shown()).toHaveLength(500);
  hidden.mockReturnValue(false);
  show("x".repeat(510));
  expect(shown().length).toBeGreaterThanOrEqual(500);
  wait(240);
  expect(shown()).toHaveLength(510);
});

it("waits for nothing where less motion is wanted", () => {
  const { shown, show } = reveal();
  reducedMotion = true;
  show("x".repeat(900));
  expect(shown()).toHaveLength(900);
});

it.each([
  ["of two halves", "😀"],
  ["with a mark", "e\u0301\u0323"],
  ["of a family", "👩🏽\u200d👩🏽\u200d👧"],
])("cuts no character in two: %s", (_name, character) => {
  const { shown, show } = reveal();
  show(character.repeat(40));
  for (let step = 0; step < 30; step++) {
    wait(16);
    expect(shown().length % character.length).toBe(0);
  }
  expect(shown()).toHaveLength(40 * character.length);
});
