// What an approval shows, and that it cannot be given before it was seen.
import { act, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ActionApproval } from "./ActionApproval.js";
import { ApprovalForm } from "./ApprovalForm.js";

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
afterEach(() => {
  vi.restoreAllMocks();
});

function show(args: object, always = false) {
  const onRespond = vi.fn();
  const offer = always ? { label: "Always", hint: "For good." } : undefined;
  render(
    <ApprovalForm
      schema={undefined}
      args={args}
      expired={false}
      onRespond={onRespond}
      onCancel={() => {}}
      always={offer}
    />,
  );
  return { onRespond, keys: userEvent.setup(), box: screen.getByRole("group", { name: "Arguments" }) };
}

const approve = () => screen.getByRole("button", { name: "Approve" });
const hintOf = (element: HTMLElement) =>
  document.getElementById(element.getAttribute("aria-describedby")!)!.textContent;

it("is not given before the rest was opened", async () => {
  const { onRespond, keys, box } = show({ text: "long" }, true);
  expect(approve().getAttribute("aria-disabled")).toBe("true");
  expect(hintOf(approve())).toBe("You can approve once you have seen all of it.");
  expect(screen.queryByRole("button", { name: "Always" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Edit" })).toBeNull();
  await keys.click(approve());
  expect(document.activeElement).toBe(box);
  await keys.keyboard("a");
  expect(onRespond).not.toHaveBeenCalled();

  await keys.tab(); // from the box to what opens the rest
  expect(document.activeElement?.textContent).toBe("Show 42 more lines");
  await keys.keyboard("{Enter}");
  expect(document.activeElement).toBe(box);
  expect(screen.getByRole("status").textContent).toBe("All of it has been shown.");
  expect(approve().hasAttribute("aria-disabled")).toBe(false);
  expect(screen.getByRole("button", { name: "Always" })).toBeTruthy();
  await keys.keyboard("a");
  expect(onRespond.mock.calls).toEqual([[{ approved: true }]]);
});

it("is given after the box was scrolled to its end, and stays so", async () => {
  const { onRespond, keys, box } = show({ text: "long" });
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
  expect(onRespond).toHaveBeenCalledOnce();
});

it("can be denied at once", async () => {
  const { onRespond, keys } = show({ text: "long" });
  await keys.click(screen.getByRole("button", { name: "Deny" }));
  expect(onRespond.mock.calls).toEqual([[{ approved: false }]]);
});

it("needs nothing where everything is on screen", async () => {
  height = 100;
  const { onRespond, keys } = show({ text: "short" });
  expect(screen.queryByText(/more line/)).toBeNull();
  expect(screen.getByRole("status").textContent).toBe("");
  await keys.click(approve());
  expect(onRespond).toHaveBeenCalledOnce();
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

it("holds for what the server carries out as well", async () => {
  const onAnswer = vi.fn();
  const keys = userEvent.setup();
  render(<ActionApproval label={"Dele\u200bte"} args={{ id: "7" }} onAnswer={onAnswer} />);
  expect(screen.getByRole("heading").textContent).toContain("DeleU+200Bte");
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Cancel" }));
  await keys.click(approve());
  expect(onAnswer).not.toHaveBeenCalled();
  await keys.click(screen.getByRole("button", { name: "Show 42 more lines" }));
  await keys.click(approve());
  expect(onAnswer.mock.calls).toEqual([[true]]);
});
