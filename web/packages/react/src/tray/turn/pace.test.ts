import { describe, expect, test } from "vitest";
import { Pace } from "./pace.js";

/** The steps in which a text that came at once is shown, as parts of it. */
function stepsAt(frames: Iterable<number>): { steps: number[]; took: number } {
  const text = "x".repeat(1000);
  const pace = new Pace("", 0);
  pace.arrive(text, 0);
  const steps: number[] = [];
  let [now, shown] = [0, 0];
  for (const gap of frames) {
    now += gap;
    const next = pace.show(now);
    steps.push((next - shown) / text.length);
    shown = next;
    if (shown === text.length) return { steps, took: now };
  }
  throw new Error(`${shown} of ${text.length} are shown after ${now} ms`);
}

const every = (...gaps: number[]) => Array.from({ length: 60 }, (_, index) => gaps[index % gaps.length]!);

describe("a text that came at once", () => {
  test.each([
    [[1000 / 60], 0.1],
    [[1000 / 30], 0.24],
    [[50], 0.3],
    [[1000 / 60, 1000 / 30], 0.22],
    [[1000 / 60, 1000 / 60, 1000 / 60, 50], 0.3],
  ])("is shown in even steps and in time with frames of %j ms", (gaps, most) => {
    for (let phase = 0; phase < gaps.length; phase++) {
      const { steps, took } = stepsAt(every(...gaps.slice(phase), ...gaps.slice(0, phase)));
      expect(Math.max(...steps)).toBeLessThanOrEqual(most);
      expect(took).toBeLessThanOrEqual(250);
    }
  });

  test("is shown whole by the first frame after a long pause of the page", () => {
    expect(stepsAt([16, 400])).toMatchObject({ steps: [expect.any(Number), expect.any(Number)], took: 416 });
  });
});
