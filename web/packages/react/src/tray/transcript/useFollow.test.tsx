import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { assistant, fakeClient, user, type FakeClient } from "../../../dev/fakeClient.js";
import { seesEnd } from "./geometry.js";
import { drawTray } from "../../../test/harness.js";

/** jsdom has no layout: the transcript's geometry is what a test says. */
let height = 1000;
let resized: () => void = () => {};

beforeEach(() => {
  height = 1000;
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(callback: () => void) {
        resized = callback;
      }
      observe() {}
      disconnect() {}
    },
  );
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(400);
  vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockImplementation(() => height);
  let top = 0;
  Object.defineProperty(HTMLElement.prototype, "scrollTop", {
    configurable: true,
    get: () => top,
    set: (wanted: number) => (top = Math.min(wanted, height - 400)),
  });
});
afterEach(() => {
  Reflect.deleteProperty(HTMLElement.prototype, "scrollTop");
});

const asked = user("q");
const answer = assistant("a");

function show(): { client: FakeClient; log: HTMLElement } {
  const client = fakeClient({ messages: [asked, answer], status: "streaming", streamingMessageId: answer.id });
  drawTray(client);
  return { client, log: screen.getByRole("log") };
}

const grow = (by: number) =>
  act(() => {
    height += by;
    resized();
  });

function scroll(log: HTMLElement, top: number) {
  log.scrollTop = top;
  fireEvent.scroll(log);
}

const pill = () => screen.queryByRole("button", { name: /New reply|Scroll to the end/ });

it("follows the end, instantly, until the reader scrolls up", () => {
  const { log } = show();
  expect(log.scrollTop).toBe(600);
  grow(50);
  expect(log.scrollTop).toBe(650);
  expect(pill()).toBeNull();

  scroll(log, 650);
  scroll(log, 630);
  expect(pill()?.getAttribute("aria-label")).toBe("Scroll to the end");
  grow(50);
  expect(log.scrollTop).toBe(630);
  expect(pill()?.textContent).toBe("New reply");
});

const to = (top: number) => (log: HTMLElement) => scroll(log, top);
const grows = (by: number) => () => grow(by);
const is = (now: number) => () => void (height = now);

// prettier-ignore
it.each<[string, ((log: HTMLElement) => void)[], number]>([
  ["is not pulled back by a first small step up", [to(600), to(596), grows(20)], 596],
  ["follows again once the reader is back at the end", [to(600), to(300), grows(100), to(698), grows(100)], 800],
  ["takes content that shrinks for what it is", [to(600), is(900), to(500), grows(100)], 600],
  ["does not begin to follow because what is written became shorter",
    [to(600), to(590), is(980), to(580), grows(100)], 580],
])("%s", (_, moves, top) => {
  const { log } = show();
  for (const move of moves) move(log);
  expect(log.scrollTop).toBe(top);
  expect(pill() === null).toBe(top === height - 400);
});

it("goes to the end by the pill, and when another thread is opened", () => {
  const { log, client } = show();
  const scrollTo = vi.fn();
  log.scrollTo = scrollTo;
  scroll(log, 600);
  scroll(log, 200);
  fireEvent.click(pill()!);
  expect(scrollTo).toHaveBeenCalledWith({ top: 1000, behavior: "smooth" });
  expect(pill()).toBeNull();

  act(() => client.show({ threadId: "t2", messages: [asked, answer, user("next")], status: "idle" }));
  expect(log.scrollTop).toBe(600);
});

it("stays where it is when the reader opens something", () => {
  const { log, client } = show();
  const call = {
    id: "c",
    name: "top_values",
    frontend: false,
    status: "complete" as const,
    argsText: "{}",
    startedAt: 0,
  };
  act(() => client.show({ messages: [asked, assistant("", "c")], toolCalls: { c: call }, status: "idle" }));
  scroll(log, 600);
  fireEvent.click(screen.getByRole("button", { name: /^Top values/ }));
  grow(200);
  expect(log.scrollTop).toBe(600);
});

/** An element from there to there, with others inside. */
function box(from: number, to: number, ...inside: HTMLElement[]) {
  const element = document.createElement("div");
  element.append(...inside);
  vi.spyOn(element, "getBoundingClientRect").mockReturnValue(new DOMRect(0, from, 100, to - from));
  return element;
}

it.each([
  ["the answer ends in view", [300], 400, true],
  ["the answer ends below", [500], 400, false],
  ["only the button to the end takes the room for the last of it", [430], 440, true],
])("sees whether %s", (_, [end], transcript, seen) => {
  const content = box(0, end!, box(0, end!));
  const scroller = box(0, 400, content);
  box(0, transcript, scroller);
  expect(seesEnd(scroller, content)).toBe(seen);
});

it("does not take suggestions below an answer for a part of it", () => {
  const suggestions = box(390, 470);
  const content = box(0, 470, box(0, 380), suggestions);
  const scroller = box(0, 400, content);
  box(0, 400, scroller);
  expect(seesEnd(scroller, content)).toBe(false);
  suggestions.className = "ps-suggested";
  expect(seesEnd(scroller, content)).toBe(true);
});
