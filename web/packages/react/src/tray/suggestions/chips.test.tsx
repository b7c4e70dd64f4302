import { render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { Chips, fitting } from "./Chips.js";

const values = Array.from({ length: 8 }, (_, index) => ({ label: `Chip ${index}`, value: `chip ${index}` }));

beforeEach(() => {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(readonly changed: () => void) {}
      observe() {
        this.changed();
      }
      disconnect() {}
    },
  );
  vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(100);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(340);
});

it("fills two rows, leaves room for what shows the others, and never hides a single one", () => {
  expect(fitting([], 300)).toBe(0);
  expect(fitting([100, 100, 100], 340)).toBe(3);
  expect(fitting(Array(6).fill(100), 340)).toBe(6);
  expect(fitting(Array(7).fill(100), 340)).toBe(7);
  expect(fitting(Array(8).fill(100), 340)).toBe(5);
  expect(fitting([400, 400, 400], 340)).toBe(3);
  expect(fitting([400, 400, 400, 400], 340)).toBe(1);
});

it("shows the others on demand, and is one stop of the Tab key", async () => {
  const keys = userEvent.setup();
  const onSend = vi.fn();
  render(<Chips values={values} onSend={onSend} />);
  const names = () => screen.getAllByRole("button").map(({ textContent }) => textContent);
  expect(names()).toEqual(["Chip 0", "Chip 1", "Chip 2", "Chip 3", "Chip 4", "+3"]);
  await keys.tab();
  await keys.keyboard("{ArrowRight}{ArrowRight}{ArrowLeft}{Enter}");
  expect(onSend.mock.calls).toEqual([["chip 1"]]);
  await keys.keyboard("{End}");
  expect(document.activeElement?.getAttribute("aria-label")).toBe("3 more suggestions");
  await keys.keyboard("{Enter}");
  expect(names()).toHaveLength(8);
  expect(screen.getByRole("button", { name: "Chip 4" })).toBe(document.activeElement);
  await keys.tab();
  expect(document.activeElement).toBe(document.body);
});

it("shows all of a text whose beginning is its label", () => {
  render(
    <Chips
      values={[
        { label: "What is the most common…", value: "What is the most common phase?" },
        { label: "What is the worst…", value: "What is the most common phase?" },
      ]}
      onSend={() => {}}
    />,
  );
  expect(screen.getAllByRole("button").map(({ textContent }) => textContent)).toEqual([
    "What is the most common phase?",
    "What is the worst… Sends: What is the most common phase?",
  ]);
});

it("stays a stop of the Tab key, and within two rows, when there are others", async () => {
  const keys = userEvent.setup();
  const { rerender } = render(<Chips values={values} onSend={() => {}} />);
  await keys.tab();
  await keys.keyboard("{End}");
  const others = Array.from({ length: 8 }, (_, index) => ({ label: `Other ${index}`, value: `other ${index}` }));
  rerender(<Chips values={others} onSend={() => {}} />);
  const names = () => screen.getAllByRole("button").map(({ textContent }) => textContent);
  expect(names()).toEqual(["Other 0", "Other 1", "Other 2", "Other 3", "Other 4", "+3"]);
  rerender(<Chips values={others.slice(0, 2)} onSend={() => {}} />);
  expect(names()).toEqual(["Other 0", "Other 1"]);
  (document.activeElement as HTMLElement).blur();
  await keys.tab();
  expect(document.activeElement?.textContent).toBe("Other 1");
});
