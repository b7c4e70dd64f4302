import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { PayloadDiff } from "./Diff.js";

it("tells what is added, removed and changed, and counts the rest", () => {
  const before = { name: "Trials", tags: ["a"], old: 1, same: { x: 1, y: 2 } };
  const after = { name: "Trials 2", tags: ["a", "b"], is_new: true, same: { y: 2, x: 1 } };
  const { container } = render(<PayloadDiff before={before} after={after} names={{ is_new: "New one" }} />);
  const rows = [...container.querySelectorAll("dl > [data-change]")].map((row) => [
    row.getAttribute("data-change"),
    row.querySelector("dt")!.firstChild!.textContent,
    row.querySelector("del")?.textContent,
    row.querySelector("ins")?.textContent,
  ]);
  expect(rows).toEqual([
    ["changed", "Name", "Trials", "Trials 2"],
    ["changed", "Tags", "a", "ab"],
    ["removed", "Old", "1", undefined],
    ["added", "New one", undefined, "Yes"],
  ]);
  expect(screen.getByText("1 unchanged")).toBeTruthy();
});

it("says when nothing changes, and shows a new thing as added", () => {
  const { rerender } = render(<PayloadDiff before={{ a: 1 }} after={{ a: 1 }} />);
  expect(screen.getByText("Nothing changes.")).toBeTruthy();
  rerender(<PayloadDiff after={{ a: 1 }} fields={["a", "b"]} />);
  expect(document.querySelectorAll("[data-change=added]")).toHaveLength(1);
});
