import type { Message, ThreadSnapshot } from "@pageside/core";
import { act, fireEvent, render, screen } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { assistant, emptySnapshot, fakeClient, user } from "../../../dev/fakeClient.js";
import { useMessage } from "../../hooks/useMessage.js";
import { AssistantProvider } from "../../provider.js";
import type * as windows from "../transcript/window.js";
import { hasOnlyGrown } from "./settled.js";
import type * as grouping from "./turns.js";
import { toTurns } from "./turns.js";
import { answerMedia, drawTray } from "../../../test/harness.js";

/** What was rendered: the conversation asks whether it is busy, its list for pieces, and so on. */
const rendered = vi.hoisted(() => [] as string[]);
vi.mock("./turns.js", async (original) => {
  const module = await original<typeof grouping>();
  return {
    ...module,
    // A turn that renders, and is not being answered, asks for its answer.
    answerOf: (turn: grouping.Turn) => (rendered.push(`closed ${turn.id}`), module.answerOf(turn)),
    toTurns: (...given: Parameters<typeof module.toTurns>) => (rendered.push("grouped"), module.toTurns(...given)),
    isBusy: (...given: Parameters<typeof module.isBusy>) => (rendered.push("conversation"), module.isBusy(...given)),
    isWaiting: (...given: Parameters<typeof module.isWaiting>) => (rendered.push("turn"), module.isWaiting(...given)),
  };
});
vi.mock("../transcript/window.js", async (original) => {
  const module = await original<typeof windows>();
  return {
    ...module,
    piecesOf: (...given: Parameters<typeof module.piecesOf>) => (rendered.push("list"), module.piecesOf(...given)),
  };
});
vi.mock("../../markdown/Markdown.js", () => ({
  Markdown: ({ source }: { source: string }) => {
    rendered.push(source);
    return <div className="ps-md">{source}</div>;
  },
}));

// The text is shown as it arrives.
beforeEach(() => answerMedia(() => true));

const before = [
  ...Array.from({ length: 499 }, (_, n) => [user(`q${n}`), assistant(`answer ${n}`)]).flat(),
  user("now"),
];
const words = Array.from({ length: 50 }, (_, n) => `word${" and word".repeat(n + 1)}`);

/** A thread of 1,000 messages whose answer is being written. */
async function show(growing: Message) {
  const client = fakeClient({ messages: before, status: "submitted" });
  drawTray(client);
  await screen.findByText("answer 498");
  const say = (content: string) =>
    act(() =>
      client.show({
        messages: [...before, { ...growing, content } as Message],
        status: "streaming",
        streamingMessageId: growing.id,
      }),
    );
  rendered.length = 0;
  say("word"); // is more than growth: the list renders
  expect(rendered).toContain("list");
  const asked = before.at(-1)!.id;
  expect(rendered.filter((each) => each.startsWith("closed ") && each !== `closed ${asked}`)).toEqual([]);
  rendered.length = 0;
  return say;
}

it("a word of an answer renders its text once, and nothing else in a thread of 1,000 messages", async () => {
  const say = await show(assistant(""));
  words.forEach(say);
  expect(rendered).toEqual(words);
  expect(document.querySelectorAll(".ps-turn:not([data-gap])").length).toBeLessThanOrEqual(60);
});

it("a word of what the model thinks renders nothing until the reader opens it", async () => {
  const say = await show({ id: "r", role: "reasoning", content: "" });
  words.forEach(say);
  expect(rendered).toEqual([]);
  fireEvent.click(screen.getByRole("button", { name: "Reasoning" }));
  expect(screen.getByText(words.at(-1)!)).toBeTruthy();
  say(`${words.at(-1)} more`);
  expect(screen.getByText(`${words.at(-1)} more`)).toBeTruthy();
});

it("how long the model thought is still known where the turn is drawn anew", async () => {
  const now = vi.spyOn(Date, "now").mockReturnValue(1_700_000_000_000);
  const client = fakeClient({ messages: [user("why?")], status: "submitted" });
  drawTray(client);
  const thought: Message = { id: "thought", role: "reasoning", content: "Hm" };
  const messages = [user("why?"), thought];
  await screen.findByText("why?");
  act(() => client.show({ messages, status: "streaming", streamingMessageId: thought.id }));
  now.mockReturnValue(1_700_000_003_400);
  act(() => client.show({ status: "idle", streamingMessageId: undefined }));
  const told = () => screen.queryByText("Thought for 3.4s");
  expect(told()).not.toBeNull();
  act(() => client.show({ messages: [...messages, ...before] }));
  expect(told()).toBeNull();
  act(() => client.show({ messages }));
  expect(told()).not.toBeNull();
});

it("groups no turn again but those of which a message, a call or the end has changed", () => {
  const call = { ...assistant("", "c"), id: "calls" };
  const result: Message = { id: "result", role: "tool", toolCallId: "c", content: "3" };
  const thread = [...before.slice(0, 4), user("count"), call, user("and?"), assistant("so")];
  const of = (change: Partial<ThreadSnapshot>) => toTurns({ ...emptySnapshot, messages: thread, ...change });
  const turns = of({});
  const changed = (change: Partial<ThreadSnapshot>) =>
    of(change).flatMap((turn, index) => (turn === turns[index] ? [] : index));
  expect(changed({})).toEqual([]);
  expect(changed({ messages: [...thread.slice(0, -1), assistant("so it is")] })).toEqual([3]);
  expect(changed({ messages: [...thread, result] })).toEqual([2, 3]);
  of({});
  expect(of({ stoppedMessageIds: [thread[1]!.id] }).map(({ stopped }) => stopped)).toEqual([true, false, false, false]);
});

const streaming = (content: string, change: Partial<ThreadSnapshot> = {}): ThreadSnapshot => ({
  ...emptySnapshot,
  ...{ status: "streaming", streamingMessageId: "a" },
  messages: [before[0]!, { id: "a", role: "assistant", content }],
  ...change,
});

it.each<[string, ThreadSnapshot, boolean]>([
  ["a longer text", streaming("So it"), true],
  ["the same text", streaming("So"), true],
  ["another text", streaming("No it"), false],
  ["a citation", streaming("So [1]"), false],
  ["the end", streaming("So it", { status: "idle", streamingMessageId: undefined }), false],
  ["a question", streaming("So it", { questions: [] }), false],
  ["a title", streaming("So it", { title: "So" }), false],
  ["one more message", streaming("", { messages: [...streaming("So").messages, user("?")] }), false],
  ["a text that is not written", streaming("So it", { streamingMessageId: "b" }), false],
  ["a mark on it", streaming("", { messages: [before[0]!, { id: "a", role: "assistant", content: "So it", name: "x" }] }), false], // prettier-ignore
])("of what changes, %s is no more than growth: %#", (_, now, expected) => {
  expect(hasOnlyGrown(streaming("So"), now)).toBe(expected);
});

it("takes the first word for more than growth: what waited is gone", () => {
  expect(hasOnlyGrown(streaming(""), streaming("So"))).toBe(false);
});

it("useMessage renders a component only when its message changes", () => {
  const [first, second] = [user("first"), assistant("second")];
  const client = fakeClient({ messages: [first, second] });
  const shown: unknown[] = [];
  function Shown({ id }: { id: string | undefined }) {
    shown.push(useMessage(id));
    return null;
  }
  const of = (id?: string) => (
    <AssistantProvider client={client}>
      <Shown id={id} />
    </AssistantProvider>
  );
  const { rerender } = render(of(first.id));
  const longer = { ...second, content: "second and more" } as Message;
  act(() => client.show({ messages: [first, longer] }));
  expect(shown).toEqual([first]);
  rerender(of(second.id));
  act(() => client.show({ messages: [first, second] }));
  rerender(of("none"));
  rerender(of());
  expect(shown).toEqual([first, longer, second, undefined, undefined]);
});
