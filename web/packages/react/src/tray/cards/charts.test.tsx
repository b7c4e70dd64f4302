import { render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { axisTicks, readData } from "./chartData.js";
import { BarChart, PayloadChart } from "./Charts.js";

const data = [
  { label: "/wp-login.php", value: 612 },
  { label: "/favicon.ico", value: 204 },
];
const cells = () =>
  within(screen.getByRole("table"))
    .getAllByRole("row")
    .map((row) => [...row.children].map(({ textContent }) => textContent));

it.each(["bar", "line"] as const)("draws a %s chart, and tells it as a table", async (type) => {
  const keys = userEvent.setup();
  render(<PayloadChart type={type} title="Pages" data={data} unit="hits" />);
  expect(screen.getByRole("figure", { name: "Pages" }).querySelector("svg")).not.toBeNull();
  expect(cells().map(([label, value]) => [label, value])).toEqual([
    ["Label", "Value"],
    ["/wp-login.php", "612\u00a0hits"],
    ["/favicon.ico", "204\u00a0hits"],
  ]);
  await keys.click(screen.getByRole("button", { name: "Show as a table" }));
  expect(screen.getByRole("figure").querySelector("svg")).toBeNull();
  expect(screen.getByRole("table").className).toBe("");
});

it("draws as bars what a model wants as a donut or a pie", () => {
  const drawn = (type: string) => {
    const { container, unmount } = render(<PayloadChart {...JSON.parse(JSON.stringify({ type, data }))} />);
    const html = container.innerHTML.replace(/_r_\w+_/g, "");
    unmount();
    return html;
  };
  expect(drawn("donut")).toBe(drawn("bar"));
  expect(drawn("pie")).toBe(drawn("bar"));
  expect(drawn("line")).not.toBe(drawn("bar"));
});

it("has an axis of round numbers, with the unit once where it is long", () => {
  const shown = (unit: string) => {
    const { container, unmount } = render(
      <PayloadChart type="line" data={[{ label: "1h", value: 985 }]} unit={unit} />,
    );
    const texts = [...container.querySelectorAll("[aria-hidden] span:not(:has(span))")].map(
      ({ textContent }) => textContent,
    );
    unmount();
    return texts.filter((text) => text);
  };
  expect(shown("requests")).toEqual(["requests", "0", "500", (1000).toLocaleString(), "1h"]);
  expect(shown("ms")).toEqual(["0\u00a0ms", "500\u00a0ms", `${(1000).toLocaleString()}\u00a0ms`, "1h"]);
});

it.each([
  [0, 599, [0, 200, 400, 600]],
  [12, 30, [0, 10, 20, 30]],
  [-4, 5, [-5, 0, 5]],
  [-0.3, -0.1, [-0.3, -0.2, -0.1, 0]],
  [0, 0, [0, 1]],
  [5, 5, [0, 2, 4, 6]],
])("an axis for values from %d to %d", (low, high, ticks) => expect(axisTicks(low, high)).toEqual(ticks));

it.each([
  [0, Number.MAX_VALUE],
  [-Number.MAX_VALUE, Number.MAX_VALUE],
  [0, Number.MIN_VALUE],
])("an axis for values from %d to %d can be drawn", (low, high) => {
  const ticks = axisTicks(low, high);
  expect(ticks.every(Number.isFinite)).toBe(true);
  expect(ticks.length).toBeGreaterThan(1);
  expect(ticks.length).toBeLessThan(8);
});

it("leaves out what is no number, and says when nothing is left", () => {
  expect(
    readData([{ label: "a", value: "3" }, { label: 1, value: 2 }, { value: NaN }, null, "x", { label: "b" }]),
  ).toEqual([
    { label: "a", value: 3 },
    { label: "1", value: 2 },
  ]);
  expect(readData(undefined)).toEqual([]);
  render(<BarChart data={undefined as never} />);
  expect(screen.getByText("No data")).toBeTruthy();
});
