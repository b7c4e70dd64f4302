import { act, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { lazyPart } from "./lazyPart.js";

const module = { One: () => <p>one</p>, Two: () => <p>two</p> };

/** A part that does not come until `isOnline` is set. */
function part() {
  const network = { isOnline: false };
  const load = () => (network.isOnline ? Promise.resolve(module) : Promise.reject(new Error("offline")));
  const first = lazyPart(load);
  const next = lazyPart(() => first.load(), first);
  const One = first.component(({ One }) => One);
  const Two = first.component(({ Two }) => Two);
  const Next = next.component(({ Two }) => Two);
  return { network, One, Two, Next };
}

it("says once in a tray that a part did not come, also for the part that waits for it", async () => {
  const { network, One, Two, Next } = part();
  const shown = (hasOne: boolean) => (
    <>
      {hasOne && <One />}
      <Two />
      <Next />
    </>
  );
  const { rerender } = render(shown(true));
  await screen.findByRole("alert");
  await act(async () => {});
  expect(screen.getAllByRole("alert")).toHaveLength(1);

  // The one that says so goes: the next one does.
  rerender(shown(false));
  expect(screen.getAllByRole("alert")).toHaveLength(1);

  network.isOnline = true;
  await userEvent.click(screen.getByRole("button", { name: "Retry" }));
  expect(await screen.findAllByText("two")).toHaveLength(2);
  expect(screen.queryByRole("alert")).toBeNull();
});
