import { act, cleanup, render, screen } from "@testing-library/react";
import { Fragment, StrictMode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { assistant, fakeClient, user, type FakeClient } from "../../../dev/fakeClient.js";
import { AssistantProvider } from "../../provider.js";
import { AssistantTray } from "../AssistantTray.js";

// Parts that are fetched ahead would wait for the browser too.
vi.mock("../../ui/usePreload.js", () => ({ usePreload: () => undefined }));

/** What waits for the browser to be idle, and what sees which places are near the view. */
let waiting: Map<number, IdleRequestCallback>;
let observers: Set<{ tell: IntersectionObserverCallback; seen: Set<Element> }>;

beforeEach(() => {
  localStorage.clear();
  waiting = new Map();
  observers = new Set();
  let id = 0;
  vi.stubGlobal("requestIdleCallback", (work: IdleRequestCallback) => {
    waiting.set(++id, work);
    return id;
  });
  vi.stubGlobal("cancelIdleCallback", (id: number) => waiting.delete(id));
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      readonly #own;
      constructor(tell: IntersectionObserverCallback) {
        observers.add((this.#own = { tell, seen: new Set<Element>() }));
      }
      observe = (element: Element) => this.#own.seen.add(element);
      unobserve = (element: Element) => this.#own.seen.delete(element);
      disconnect = () => observers.delete(this.#own);
    },
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** The browser is idle once, long enough for so many turns. */
function idle(turns = 1) {
  const [first] = waiting;
  if (!first) return false;
  waiting.delete(first[0]);
  let asked = 0;
  act(() => first[1]({ didTimeout: false, timeRemaining: () => (++asked < turns ? 50 : 0) }));
  return true;
}

/** A thread of so many turns; its questions are numbers. */
const thread = (turns: number, name = "q") =>
  Array.from({ length: turns }, (_, index) => [user(`${name}${index + 1}`), assistant(`*answer* ${index + 1}`)]).flat();

function show(turns: number, Wrapper: typeof Fragment | typeof StrictMode = Fragment): FakeClient {
  const client = fakeClient({ messages: thread(turns) });
  render(
    <Wrapper>
      <AssistantProvider client={client} defaultOpen>
        <AssistantTray />
      </AssistantProvider>
    </Wrapper>,
  );
  act(() => client.show({}));
  return client;
}

/** What stands there, from the top, a place without its turn as `"-"`. */
const shown = () =>
  [...document.querySelectorAll(".ps-turn")].map((turn) => turn.querySelector(".ps-bubble")?.textContent ?? "-");
const numbers = (from: number, to: number, name = "q") =>
  Array.from({ length: to - from + 1 }, (_, index) => `${name}${from + index}`);
const places = (count: number) => Array.from({ length: count }, () => "-");

it("opens a long thread with its end, and draws the rest from there to the beginning", () => {
  show(25);
  expect(shown()).toEqual([...places(15), ...numbers(16, 25)]);
  idle();
  expect(shown()).toEqual([...places(14), ...numbers(15, 25)]);
  idle(4);
  expect(shown()).toEqual([...places(10), ...numbers(11, 25)]);
  while (idle(3));
  expect(shown()).toEqual(numbers(1, 25));
  expect(screen.getAllByText("answer")).toHaveLength(25);
  expect(observers.size).toBe(0);
});

it("draws a thread of ten turns at once", () => {
  show(10);
  expect(shown()).toEqual(numbers(1, 10));
  expect(waiting.size).toBe(0);
});

it("draws at once what comes near the view", () => {
  show(25);
  const [observer] = observers;
  const [first, second, third] = document.querySelectorAll(".ps-turn");
  const entry = (target: Element | undefined, isIntersecting: boolean) =>
    ({ target, isIntersecting }) as IntersectionObserverEntry;
  act(() => observer!.tell([entry(first, true), entry(second, true), entry(third, false)], undefined!));
  expect(shown()).toEqual(["q1", "q2", ...places(13), ...numbers(16, 25)]);
  while (idle());
  expect(shown()).toEqual(numbers(1, 25));
});

it("keeps what is asked meanwhile, and what answers it", () => {
  const client = show(12);
  const messages = [...thread(12), user("q13")];
  act(() => client.show({ messages, status: "submitted" }));
  expect(shown().at(-1)).toBe("q13");
  while (idle());
  const answered = [...messages, assistant("*done*")];
  act(() => client.show({ messages: answered, status: "idle" }));
  expect(shown()).toEqual(numbers(1, 13));
  expect(screen.getByText("done").tagName).toBe("EM");
});

it("leaves nothing behind where another thread is opened before all is drawn", () => {
  const client = show(25);
  idle();
  act(() => client.show({ threadId: "t2", messages: thread(14, "other ") }));
  expect(shown()).toEqual([...places(4), ...numbers(5, 14, "other ")]);
  expect([waiting.size, observers.size]).toEqual([1, 1]);
  while (idle());
  expect(shown()).toEqual(numbers(1, 14, "other "));
  act(() => client.show({ threadId: "t1", messages: thread(25) }));
  cleanup();
  expect([waiting.size, observers.size]).toEqual([0, 0]);
});

it("draws at once what another branch brings", () => {
  const client = show(25);
  while (idle());
  const messages = [...thread(25).slice(0, 2), ...thread(20, "branch ")];
  act(() => client.show({ messages }));
  expect(shown()).toEqual(["q1", ...numbers(1, 20, "branch ")]);
});

it("draws all in strict mode, too, and where the browser does not say that it is idle", async () => {
  show(25, StrictMode);
  expect(shown()).toEqual([...places(15), ...numbers(16, 25)]);
  idle();
  expect(shown()).toEqual([...places(14), ...numbers(15, 25)]);
  while (idle(5));
  expect(shown()).toEqual(numbers(1, 25));
  cleanup();

  vi.stubGlobal("requestIdleCallback", undefined);
  show(25);
  await vi.waitFor(() => expect(shown()).toEqual(numbers(1, 25)), 30_000);
});
