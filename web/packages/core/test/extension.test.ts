import { expect, it, vi } from "vitest";
import { commandsOf, createPagesideClient, Subscribable } from "../src/index.js";

it("makes a part of a client once, with the client, and keeps it, also where it is undefined", () => {
  const [one, other] = [createPagesideClient(), createPagesideClient()];
  const make = vi.fn((of: typeof one) => ({ of }));
  const nothing = vi.fn(() => undefined);
  for (const [part, making] of [[Symbol("part"), make], [Symbol("none"), nothing]] as const) {
    expect(one.extension(part, making)).toBe(one.extension(part, making));
    expect(making).toHaveBeenCalledTimes(1);
  } // prettier-ignore
  expect(make).toHaveBeenCalledWith(one);
  expect(commandsOf(one)).not.toBe(commandsOf(other));
});

it("tells every listener of a change, also where one of them throws", () => {
  const changes = new Subscribable();
  const failure = new Error("its own trouble");
  const log = vi.spyOn(console, "error").mockReturnValue();
  const [first, last] = [vi.fn(), vi.fn()];
  changes.subscribe(first);
  changes.subscribe(() => {
    throw failure;
  });
  const undo = changes.subscribe(last);
  changes.notify();
  undo();
  changes.notify();
  expect(first).toHaveBeenCalledTimes(2);
  expect(last).toHaveBeenCalledTimes(1);
  expect(log).toHaveBeenCalledWith(failure);
  expect(changes.hasListeners).toBe(true);
  changes.clear();
  expect(changes.hasListeners).toBe(false);
});
