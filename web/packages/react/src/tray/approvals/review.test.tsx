// What an approval shows, and that it cannot be given before it was seen.
import type { Question } from "@pageside/core";
import { act, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { fakeClient } from "../../../dev/fakeClient.js";
import { AssistantProvider } from "../../provider.js";
import { QuestionCard } from "./QuestionCard.js";

/** The box of the arguments has room for 240 pixels. */
const ROOM = 240;
let height = 1_000;

beforeEach(() => {
  height = 1_000;
  const isBox = (element: HTMLElement) => element.classList.contains("ps-args");
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockImplementation(function (this: HTMLElement) {
    return isBox(this) ? (this.hasAttribute("data-open") ? height : Math.min(ROOM, height)) : 0;
  });
  vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockImplementation(function (this: HTMLElement) {
    return isBox(this) ? height : 0;
  });
});

function show(args: object, change: Partial<Question> = {}) {
  const asked: Question = { id: "q", kind: "approval", from: "run", name: "send", args, ...change };
  const client = fakeClient({ questions: [asked] });
  render(
    <AssistantProvider client={client}>
      <QuestionCard question={asked} tool="Send" />
    </AssistantProvider>,
  );
  const answers = () => client.calls.map(([, , given]) => given);
  return { answers, keys: userEvent.setup(), box: screen.getByRole("group", { name: "Arguments" }) };
}

const approve = () => screen.getByRole("button", { name: "Approve" });
const hintOf = (element: HTMLElement) =>
  document.getElementById(element.getAttribute("aria-describedby")!)!.textContent;

it("is not given before the rest was opened", async () => {
  const { answers, keys, box } = show({ text: "long" }, { allowance: { scope: "session" } });
  expect(approve().getAttribute("aria-disabled")).toBe("true");
  expect(hintOf(approve())).toBe("You can approve once you have seen all of it.");
  expect(screen.queryByRole("button", { name: "Allow always" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Edit" })).toBeNull();
  await keys.click(approve());
  expect(document.activeElement).toBe(box);
  await keys.keyboard("a");
  expect(answers()).toEqual([]);

  await keys.tab(); // from the box to what opens the rest
  expect(document.activeElement?.textContent).toBe("Show 42 more lines");
  await keys.keyboard("{Enter}");
  expect(document.activeElement).toBe(box);
  expect(screen.getByRole("status").textContent).toBe("All of it has been shown.");
  expect(approve().hasAttribute("aria-disabled")).toBe(false);
  expect(screen.getByRole("button", { name: "Allow always" })).toBeTruthy();
  await keys.keyboard("a");
  expect(answers()).toEqual([{ approved: true }]);
});

it("is given after the box was scrolled to its end, and stays so", async () => {
  const { answers, keys, box } = show({ text: "long" });
  const scrollTo = (top: number) =>
    act(() => {
      box.scrollTop = top;
      box.dispatchEvent(new Event("scroll", { bubbles: true }));
    });
  scrollTo(400);
  expect(screen.getByRole("button", { name: "Show 20 more lines" })).toBeTruthy();
  expect(approve().getAttribute("aria-disabled")).toBe("true");
  scrollTo(height - ROOM);
  expect(screen.getByRole("status").textContent).toBe("All of it has been shown.");
  scrollTo(0);
  await keys.click(approve());
  expect(answers()).toHaveLength(1);
});

it("can be denied at once", async () => {
  const { answers, keys } = show({ text: "long" });
  await keys.click(screen.getByRole("button", { name: "Deny" }));
  expect(answers()).toEqual([{ approved: false }]);
});

it("needs nothing where everything is on screen", async () => {
  height = 100;
  const { answers, keys } = show({ text: "short" });
  expect(screen.queryByText(/more line/)).toBeNull();
  expect(screen.getByRole("status").textContent).toBe("");
  await keys.click(approve());
  expect(answers()).toHaveLength(1);
});

it("shows every argument, and what its text hides", () => {
  const many = Array.from({ length: 120 }, (_, index) => `entry ${index}`);
  const args = {
    to: `ann@example.com${"\n".repeat(300)}Bcc: mallory@evil.example`,
    body: "x".repeat(30_000) + "END",
    path: "/tmp/\u202etxt.exe",
    many,
    deep: { a: { b: { c: { d: { e: "bottom" } } } } },
    To: "second",
    "na\u200bme": 1,
  };
  const { box } = show(args);
  const text = box.textContent;
  expect(text).toContain("ann@example.com\n299 empty lines\nBcc: mallory@evil.example");
  for (const each of [...many, "xEND", "U+202Etxt.exe", "bottom", "“To”", "“to”", "“naU+200Bme”"])
    expect(text).toContain(each);
  expect(text).not.toContain("…");
});

it("holds for what the server carries out as well, which is done as it was suggested or not at all", async () => {
  const { answers, keys } = show({ id: "7" }, { from: "server", label: "Dele\u200bte" });
  await keys.click(approve());
  expect(answers()).toEqual([]);
  await keys.click(screen.getByRole("button", { name: "Show 42 more lines" }));
  for (const name of ["Edit", "Deny with a reason", "Allow always"])
    expect(screen.queryByRole("button", { name })).toBeNull();
  await keys.click(approve());
  screen.getByRole("button", { name: "Deny" }).focus();
  await keys.keyboard("D{Escape}");
  expect(answers()).toEqual([{ approved: true }, { approved: false }]);
});
