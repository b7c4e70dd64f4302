import type { Question } from "@pageside/core";
import { pause, type Rule } from "@pageside/testing";
import { act, cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { assistant, fakeClient, user } from "../../../dev/fakeClient.js";
import { drawTray, echo, open, sentBy } from "../../../test/harness.js";
import { AssistantProvider } from "../../provider.js";
import { EmptyState } from "../suggestions/EmptyState.js";

const slow: Rule = { when: "slowly", reply: ["One moment.", pause(600_000), "Done."] };

/** A run that goes on, and three messages that wait for its end. */
async function waiting() {
  const shown = await open([slow, echo]);
  await shown.keys.keyboard("slowly{Enter}");
  await screen.findByText("One moment.");
  for (const text of ["one", "two", "three"]) await shown.keys.keyboard(`${text}{Enter}`);
  await screen.findByRole("button", { name: "Remove: three" });
  const order = () => shown.client.getSnapshot().queue.map(({ text }) => text);
  return { ...shown, order };
}

describe("messages that wait", () => {
  it("are moved by buttons, and by Alt with an arrow, and the focus goes along", async () => {
    const { keys, order } = await waiting();
    await keys.click(screen.getByRole("button", { name: "Move up: three" }));
    await waitFor(() => expect(order()).toEqual(["one", "three", "two"]));
    await waitFor(() => expect(document.activeElement?.getAttribute("aria-label")).toBe("Move up: three"));
    await keys.keyboard("{Alt>}{ArrowUp}{/Alt}");
    await waitFor(() => expect(order()).toEqual(["three", "one", "two"]));
    // There is no further up: the other button has it.
    await waitFor(() => expect(document.activeElement?.getAttribute("aria-label")).toBe("Move down: three"));
    await keys.keyboard("{Alt>}{ArrowUp}{/Alt}");
    expect(order()).toEqual(["three", "one", "two"]);
  });

  it("are taken out, and the focus goes to the next one, at last to the box", async () => {
    const { keys, order, input } = await waiting();
    await keys.click(screen.getByRole("button", { name: "Remove: two" }));
    await waitFor(() => expect(order()).toEqual(["one", "three"]));
    await waitFor(() => expect(document.activeElement?.getAttribute("aria-label")).toBe("Remove: three"));
    await keys.keyboard("{Enter}");
    await waitFor(() => expect(document.activeElement?.getAttribute("aria-label")).toBe("Remove: one"));
    await keys.keyboard("{Enter}");
    await waitFor(() => expect(order()).toEqual([]));
    expect(document.activeElement).toBe(input);
  });

  it("one of them is sent now: the answer is stopped, the others follow", async () => {
    const { keys, client, order } = await waiting();
    await keys.click(screen.getByRole("button", { name: "Stop the answer and send now: two" }));
    await waitFor(() => expect(sentBy(client)).toEqual(["slowly", "two", "one", "three"]));
    await waitFor(() => expect(order()).toEqual([]));
    expect(screen.getByText("You said: two")).toBeTruthy();
  });

  it("what is written is sent now by Ctrl+Shift+Enter, before them", async () => {
    const { keys, client, input } = await waiting();
    await keys.keyboard("stop, rather this{Control>}{Shift>}{Enter}{/Shift}{/Control}");
    expect(input.value).toBe("");
    await waitFor(() => expect(sentBy(client)).toEqual(["slowly", "stop, rather this", "one", "two", "three"]));
  });
});

describe("earlier messages", () => {
  const withHistory = async () => {
    const shown = await open([echo]);
    for (const text of ["first", "second"]) {
      await shown.keys.keyboard(`${text}{Enter}`);
      await screen.findByText(`You said: ${text}`);
    }
    await waitFor(() => expect(shown.client.getSnapshot().status).toBe("idle"));
    return shown;
  };

  it("come by ArrowUp and go by ArrowDown, back to what was there", async () => {
    const { keys, input } = await withHistory();
    await keys.keyboard("  {ArrowUp}");
    expect(input.value).toBe("second");
    expect(input.selectionStart).toBe(6);
    await keys.keyboard("{ArrowUp}");
    expect(input.value).toBe("first");
    await keys.keyboard("{ArrowDown}{ArrowDown}");
    expect(input.value).toBe("  ");
  });

  it("do not come while something is written, nor once what came was changed", async () => {
    const { keys, input } = await withHistory();
    await keys.keyboard("x{ArrowUp}");
    expect(input.value).toBe("x");
    await keys.keyboard("{Backspace}{ArrowUp}!{ArrowUp}");
    expect(input.value).toBe("second!");
  });

  it("know the lines of the text", async () => {
    const { keys, input, client } = await withHistory();
    await keys.keyboard("a{Shift>}{Enter}{/Shift}b{Enter}");
    await waitFor(() => expect(sentBy(client)).toHaveLength(3));
    await waitFor(() => expect(client.getSnapshot().status).toBe("idle"));
    await keys.keyboard("{ArrowUp}");
    expect(input.value).toBe("a\nb");
    // from the second line to the first: the browser's business
    fireEvent.keyDown(input, { key: "ArrowUp" });
    expect(input.value).toBe("a\nb");
    input.setSelectionRange(0, 0);
    fireEvent.keyDown(input, { key: "ArrowDown" });
    expect(input.value).toBe("a\nb");
    fireEvent.keyDown(input, { key: "ArrowUp" });
    expect(input.value).toBe("second");
  });
});

it("takes what an input method wrote without a word", async () => {
  const { input, client } = await open();
  fireEvent.compositionStart(input);
  input.value = "にほん"; // no input event, as some browsers do it
  fireEvent.compositionEnd(input);
  fireEvent.keyDown(input, { key: "Enter", keyCode: 13 });
  await waitFor(() => expect(sentBy(client)).toEqual(["にほん"]));
});

it("a draft is there again after a reload, and gone once it was sent", async () => {
  const { keys, client } = await open();
  await keys.keyboard("half a thought");
  cleanup(); // what is left unsaved is saved on the way out
  const again = await open();
  expect(again.input.value).toBe("half a thought");
  await again.keys.keyboard(" more{Enter}");
  await screen.findByText("You said: half a thought more");
  await waitFor(() => expect(sessionStorage.getItem("pageside:drafts")).toBe("{}"));
  expect(client.getSnapshot().messages).toEqual([]);
});

describe("the empty state", () => {
  const cards = () => screen.queryAllByRole("listitem").map((item) => item.textContent);

  it("shows the page's suggestions, then those of the place, four in all", async () => {
    const onAsk = vi.fn();
    const places = ["a", "two", "three", "four", "five"];
    const suggest = vi.fn(async () => places.map((text) => ({ label: text, value: text })));
    const client = Object.assign(fakeClient(), { suggest, getPlace: () => ({ page: "orders" }) });
    render(
      <AssistantProvider client={client} defaultOpen>
        <EmptyState suggestions={["a", "b"]} onAsk={onAsk} />
      </AssistantProvider>,
    );
    expect(cards()).toEqual(["a", "b"]);
    await waitFor(() => expect(cards()).toEqual(["a", "b", "two", "three"]));
    expect(suggest).toHaveBeenCalledTimes(1);
    await userEvent.click(screen.getByRole("button", { name: "two" }));
    expect(onAsk).toHaveBeenCalledWith("two", { suggested: true });
    await userEvent.click(screen.getByRole("button", { name: "b" }));
    expect(onAsk).toHaveBeenLastCalledWith("b");
  });
});

it("asks before the server carries out what it wants the user to have seen", async () => {
  const details = { suggestedActions: [{ label: "Delete it", action: "delete", handler: "server", args: { id: 7 } }] };
  const messages = [user("q"), { ...assistant("a"), metadata: { pageside: details } } as ReturnType<typeof user>];
  let deny!: (cause: unknown) => void;
  const ended = new Promise<void>((_, reject) => (deny = reject));
  const runAction = vi.fn(() => ended);
  const client = Object.assign(fakeClient({ messages }), { runAction });
  drawTray(client);
  const button = screen.getByRole("button", { name: "Delete it" });
  await userEvent.click(button);
  expect(runAction.mock.calls).toEqual([["delete", { id: 7 }, { label: "Delete it" }]]);
  const asked = { id: "q1", kind: "approval", from: "server", name: "delete", label: "Delete it", args: { id: 7 } };
  act(() => client.show({ questions: [asked as Question] }));
  const card = await screen.findByRole("group", { name: "Run “Delete it”?" });
  expect(card.textContent).toContain("7");
  await waitFor(() => expect(document.activeElement).toBe(within(card).getByRole("button", { name: "Deny" })));
  await userEvent.keyboard("{Escape}");
  expect(client.calls.filter(([name]) => name === "answer")).toEqual([["answer", "q1", { approved: false }]]);
  expect(document.activeElement).toBe(button);
  await act(async () => {
    client.show({ questions: [] });
    deny(Object.assign(new Error("The user denied it."), { name: "denied" }));
    await ended.catch(() => undefined);
  });
  expect(screen.queryByRole("alert")).toBeNull();
});
