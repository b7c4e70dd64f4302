import { expect, it, vi } from "vitest";
import { commandsOf, createPagesideClient, Subscribable } from "../src/index.js";

const PART = Symbol("part");

it("makes a part of a client once, with the client, and keeps it", () => {
  const client = createPagesideClient();
  const make = vi.fn((of: typeof client) => ({ of }));
  const part = client.extension(PART, make);
  expect(part.of).toBe(client);
  expect(client.extension(PART, make)).toBe(part);
  expect(make).toHaveBeenCalledTimes(1);
});

it("keeps a part that is undefined, too", () => {
  const client = createPagesideClient();
  const make = vi.fn(() => undefined);
  client.extension(PART, make);
  client.extension(PART, make);
  expect(make).toHaveBeenCalledTimes(1);
});

it("shares no part between clients", () => {
  const [one, other] = [createPagesideClient(), createPagesideClient()];
  expect(commandsOf(one)).toBe(commandsOf(one));
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
