import { createPagesideClient, type Message, type ThreadSnapshot, type ToolCallState } from "@pageside/core";
import { fail, scriptedAgent, text } from "@pageside/testing";
import { act, cleanup, fireEvent, screen, within } from "@testing-library/react";
import { useState } from "react";
import { describe, expect, it, vi } from "vitest";
import { assistant, user, type FakeClient } from "../../../dev/fakeClient.js";
import { useAssistantAction } from "../../hooks/useAssistantAction.js";
import { english } from "../../labels/english.js";
import { german } from "../../labels/german.js";
import type { TrayLabels } from "../../labels/types.js";
import { fullToolTitle, humanize, summarize, toolTitle } from "../../ui/format.js";
import { button, drawTray, showTray } from "../../../test/harness.js";

const show = (snapshot: Partial<ThreadSnapshot>, page?: React.ReactNode, labels?: TrayLabels): FakeClient =>
  showTray(snapshot, { labels, toolLabels: { top_values: "Häufigste Werte" }, page }).client;

const call = (change: Partial<ToolCallState> = {}): ToolCallState => ({
  id: "c1",
  name: "execute_ppl_query",
  frontend: true,
  status: "complete",
  argsText: '{"query":"source=log"}',
  args: { query: "source=log" },
  startedAt: Date.now(),
  ...change,
});

const asked = user("q");
const calling = (id: string) => ({ ...assistant("", id), id: `calls ${id}` });

const withCall = (state: ToolCallState): Partial<ThreadSnapshot> => ({
  messages: [asked, calling(state.id)],
  toolCalls: { [state.id]: state },
  status: state.status === "executing" || state.status === "pending" ? "executing" : "idle",
});

describe("waiting", () => {
  const thinking = () => screen.queryByText("Thinking");

  it("shows that something happens until something else does", () => {
    const answer = assistant("A");
    const client = show({ messages: [asked], status: "submitted" });
    expect(thinking()).not.toBeNull();
    act(() => client.show({ messages: [asked, answer], status: "streaming", streamingMessageId: answer.id }));
    expect(thinking()).toBeNull();
    act(() => client.show({ ...withCall(call({ status: "executing" })) }));
    expect(thinking()).toBeNull();
    act(() => client.show({ ...withCall(call()), status: "streaming", streamingMessageId: undefined }));
    expect(thinking()).not.toBeNull();
    act(() => client.show({ retrying: { attempt: 2 } }));
    expect(screen.queryByText("The model did not answer, trying again")).not.toBeNull();
    act(() => client.show({ status: "idle", retrying: undefined }));
    expect(thinking()).toBeNull();
  });

  it("says after 20 s of silence that the model still thinks, and begins anew with what comes", () => {
    vi.useFakeTimers();
    const client = show({ messages: [asked], status: "submitted" });
    const still = () => screen.queryByText("Still thinking; Stop ends it");
    act(() => void vi.advanceTimersByTime(19_999));
    expect(thinking()).not.toBeNull();
    act(() => void vi.advanceTimersByTime(1));
    expect([thinking(), still()?.textContent]).toEqual([null, "Still thinking; Stop ends it"]);
    act(() => client.show({ ...withCall(call({ status: "executing" })) }));
    expect(still()).toBeNull();
    act(() => client.show({ ...withCall(call()), status: "streaming", streamingMessageId: undefined }));
    expect([thinking() !== null, still()]).toEqual([true, null]);
  });

  it("is not live, but says that it is busy", () => {
    const client = show({ messages: [user("q")], status: "submitted" });
    const log = screen.getByRole("log");
    expect([log.ariaLive ?? log.getAttribute("aria-live"), log.getAttribute("aria-busy")]).toEqual(["off", "true"]);
    act(() => client.show({ status: "idle" }));
    expect(log.getAttribute("aria-busy")).toBe("false");
  });

  it("does not greet while a thread is loaded", () => {
    const client = show({ loading: true });
    expect(screen.getByRole("img", { name: "Loading the conversation" })).toBeTruthy();
    expect(screen.queryByText("How can I help?")).toBeNull();
    act(() => client.show({ loading: false }));
    expect(screen.getByText("How can I help?")).toBeTruthy();
  });
});

describe("a tool call", () => {
  it.each([
    ["pending", "Preparing"],
    ["executing", "Running"],
    ["complete", "Done"],
    ["failed", "Failed"],
    ["awaiting-approval", "Waiting for approval"],
    ["denied", "Denied"],
    ["cancelled", "Cancelled"],
  ] as const)("%s says so", (status, text) => {
    show(withCall(call({ status })));
    expect(button(new RegExp(`^Execute PPL query ?, ?${text}`)).getAttribute("aria-expanded")).toBe(
      String(status === "failed"),
    );
  });

  it("shows arguments and result on demand, an error at once", () => {
    const client = show(withCall(call({ result: { rows: 3 } })));
    expect(screen.queryByText("Result")).toBeNull();
    fireEvent.click(button(/^Execute PPL query/));
    expect(screen.getByLabelText("Arguments").textContent).toBe('{\n  "query": "source=log"\n}');
    expect(screen.getByLabelText("Result").textContent).toBe('{\n  "rows": 3\n}');
    act(() => client.show(withCall(call({ id: "c2", status: "failed", error: { message: "No such index" } }))));
    expect(screen.getByText("No such index")).toBeTruthy();
  });

  it("shows at once why the server's permissions refuse it, and lets it be closed", () => {
    const error = { code: "not_permitted", message: "the user is not permitted to use it: above the limit" };
    show(withCall(call({ status: "denied", error })));
    expect(screen.getByText(/above the limit$/)).toBeTruthy();
    fireEvent.click(button(/^Execute PPL query ?, ?Denied/));
    expect(screen.queryByText(/above the limit$/)).toBeNull();
  });

  it("tells how long it takes from one second on, how far it is, and what is left", async () => {
    const progress = { stage: "scan", message: "Reading", fraction: 0.5 };
    show(withCall(call({ status: "executing", progress })));
    await screen.findByRole("progressbar"); // the part that draws it has been loaded, in real time
    cleanup();
    vi.useFakeTimers();
    const client = show(withCall(call({ status: "executing", progress })));
    expect(screen.queryByText(/\ds$/)).toBeNull();
    act(() => void vi.advanceTimersByTime(3450));
    expect(screen.getByText("3.4s")).toBeTruthy();
    expect(screen.getByText("about 4s left")).toBeTruthy();
    const bar = screen.getByRole("progressbar", { name: "Progress of Execute PPL query" });
    expect(bar.getAttribute("aria-valuenow")).toBe("50");
    const done = call({ progress, endedAt: Date.now() - 1000, startedAt: Date.now() - 3500 });
    act(() => client.show(withCall(done)));
    expect(screen.getByText("2.5s")).toBeTruthy();
    expect(screen.queryByRole("progressbar")).toBeNull();
  });

  it("has the name the host gives it", () => {
    show(withCall(call({ name: "top_values" })));
    expect(button(/^Häufigste Werte/)).toBeTruthy();
  });

  it("without a state comes from the messages", () => {
    const messages = [
      user("q"),
      assistant("", "top_values"),
      { id: "t", role: "tool" as const, toolCallId: "top_values", content: "7" },
    ];
    show({ messages });
    fireEvent.click(button(/Done/));
    expect(screen.getByLabelText("Result").textContent).toBe("7");
  });
});

describe("a tool call with a render of its own", () => {
  function Page({ render }: { render: Parameters<typeof useAssistantAction>[0]["render"] }) {
    useAssistantAction({ name: "execute_ppl_query", description: "d", render });
    return null;
  }

  it("is drawn by it, hooks and all", () => {
    const Drawn = ({ status }: { status: string }) => {
      const [clicks, click] = useState(0);
      return <button onClick={() => click(clicks + 1)}>{`${status} ${clicks}`}</button>;
    };
    const client = show(withCall(call({ status: "executing" })), <Page render={Drawn} />);
    fireEvent.click(button("executing 0"));
    act(() => client.show(withCall(call())));
    expect(button("complete 1")).toBeTruthy();
    expect(screen.queryByRole("button", { name: /PPL/ })).toBeNull();
  });

  it("is a row where it draws nothing", () => {
    show(withCall(call()), <Page render={() => null} />);
    expect(button(/^Execute PPL query/)).toBeTruthy();
  });

  it("is a row where it throws, and gets another chance", () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const render = ({ status }: { status: string }) => {
      if (status === "executing") throw new Error("no data yet");
      return <p>drawn</p>;
    };
    const client = show(withCall(call({ status: "executing" })), <Page render={render} />);
    expect(button(/^Execute PPL query/)).toBeTruthy();
    act(() => client.show(withCall(call())));
    expect(screen.getByText("drawn")).toBeTruthy();
  });
});

describe("an answer that failed or was stopped", () => {
  it("says why, with details to copy, can be tried again and dismissed", async () => {
    const error = { code: "llm_overloaded", message: "529", retryable: true, details: "run r1" };
    const { asked, keys } = showTray({ messages: [user("q"), assistant("half")], status: "error", error });
    expect(screen.getByRole("alert").textContent).toContain("The model is overloaded");
    expect(screen.getByText("half")).toBeTruthy();
    await keys.click(button("Details"));
    expect((await screen.findByLabelText("Details")).textContent).toBe("llm_overloaded: 529\nrun r1");
    await keys.click(button("Copy details"));
    expect(await navigator.clipboard.readText()).toBe("llm_overloaded: 529\nrun r1");
    await keys.click(button("Retry"));
    await keys.click(button("Dismiss"));
    expect([asked("retry"), asked("clearError")].map(({ length }) => length)).toEqual([1, 1]);
  });

  it("says from when a limit allows more", () => {
    const at = Date.now() + 26 * 3_600_000;
    const failed = (retryAt: number) => ({
      messages: [user("q")],
      status: "error" as const,
      error: { code: "quota_exceeded", message: "429", retryable: true, retryAt },
    });
    const client = show(failed(at));
    const text = () => screen.getByRole("alert").textContent;
    expect(text()).toContain(`quota of the assistant is used up.${english.tryAgainAt(new Date(at), new Date())}`);
    expect(within(screen.getByRole("alert")).getByRole("button", { name: "Retry" })).toBeTruthy();
    act(() => client.show(failed(Date.now() + 2000)));
    expect(text()).not.toContain("works again");
    const day = (hour: number, minute: number, date = 2) => new Date(2026, 0, date, hour, minute);
    expect(german.tryAgainAt(day(14, 5), day(13, 0))).toBe("Ab 14:05 geht es wieder.");
    expect(english.tryAgainAt(day(14, 5, 3), day(13, 0))).toMatch(/^It works again from Saturday 0?2:05.PM\.$/);
  });

  it("offers no retry that cannot help, and tells unknown errors by their message", () => {
    show({
      messages: [user("q")],
      status: "error",
      error: { code: "constructor", message: "Odd thing", retryable: false },
    });
    expect(screen.getByRole("alert").textContent).toContain("Odd thing");
    expect(within(screen.getByRole("alert")).queryByRole("button", { name: "Retry" })).toBeNull();
  });

  it("gives its place to the answer that a retry brought, with what tools did", () => {
    const first = { ...assistant("half", "count"), metadata: { pageside: { status: "failed" } } } as Message;
    show({
      messages: [user("q"), first, assistant("whole")],
      toolCalls: { count: call({ id: "count", name: "count" }) },
    });
    expect(screen.queryByText("half")).toBeNull();
    expect(screen.getByText("whole")).toBeTruthy();
    expect(screen.getByText("Count")).toBeTruthy();
    expect(screen.queryByText("Not finished")).toBeNull();
  });

  const pageside = { source: "llm", status: "open", reason: "length" };
  const card = { id: "x", role: "activity", activityType: "chart", content: {}, metadata: { pageside } } as Message;
  const [half, question] = [assistant("half"), user("q")];
  const calls = {
    ...assistant("", "count"),
    metadata: { pageside: { status: "failed", code: "tool_loop" } },
  } as Message;
  const REPEATED = "The assistant repeated itself without coming to an answer.";
  const TOO_LONG = "The answer was cut off: it reached the model's length limit.";
  const FILTERED = "The answer was cut off: the provider's filter stopped it.";
  const ZU_LANG = "Die Antwort wurde abgeschnitten: Sie hat die Längengrenze des Modells erreicht.";
  const GEFILTERT = "Die Antwort wurde abgeschnitten: Der Filter des Anbieters hat sie gestoppt.";
  const more = [user("r"), assistant("whole")];

  // prettier-ignore
  it.each<[string, Message[], string[], labels?: TrayLabels, stopped?: Message]>([
    ["the user stopped it", [question, half], ["Stopped"], english, half],
    ["it was stopped before its first word", [question], ["Stopped"], english, question],
    ["the server marks it, over a reload", [question, marked("stopped")], ["Stopped"]],
    ["it was not finished", [question, marked("failed"), ...more], ["Not finished"]],
    ["it was cut by length", [question, marked("cut", "length")], [TOO_LONG]],
    ["it was cut by a filter", [question, marked("cut", "filter")], [FILTERED]],
    ["it was cut by length, in German", [question, marked("cut", "length")], [ZU_LANG], german],
    ["it was cut by a filter, in German", [question, marked("cut", "filter")], [GEFILTERT], german],
    ["it is only a card, and nothing followed", [question, card, user("r"), card, assistant("whole")], [TOO_LONG]],
    ["tools did something, and it never came", [question, calls, ...more], [REPEATED]],
  ])("is labelled with the reason where %s", (_, messages, words, labels, stopped) => {
    show({ messages, stoppedMessageIds: stopped ? [stopped.id] : [] }, undefined, labels);
    expect([...document.querySelectorAll(".ps-turn .ps-stopped")].map(({ textContent }) => textContent)).toEqual(words);
    const texts = messages.filter(({ content }) => content === "half");
    expect(screen.queryAllByText("half")).toHaveLength(texts.length);
  });

  it.each(["llm_empty", "llm_filtered", "llm_output_limit", "steps_exhausted", "tool_loop"])(
    "that failed with %s is told in words of the user's language, and is no question that was not sent",
    (code) => {
      const told = [english, german].map((labels) => labels.errorSentence(code)!);
      expect(new Set(told).size).toBe(2);
      show({ messages: [user("q")], status: "error", error: { code, message: "x", retryable: true, ofRun: true } });
      expect(screen.getByRole("alert").textContent).toContain(told[0]);
      expect(screen.queryByText("Not sent")).toBeNull();
    },
  );

  function marked(status: "stopped" | "failed" | "cut", reason?: string): Message {
    return { ...assistant("half"), metadata: { pageside: { status, ...(reason && { reason }) } } } as Message;
  }
});

it("shows what the model thought on demand only", async () => {
  show({ messages: [user("q"), { id: "r", role: "reasoning", content: "secret **thought**" }, assistant("A")] });
  expect(screen.queryByText(/secret/)).toBeNull();
  fireEvent.click(await screen.findByRole("button", { name: "Reasoning" }));
  expect(screen.getByText(/secret/)).toBeTruthy();
});

it("does not show system, developer and activity messages, and shows a user's text as it was written", () => {
  show({
    messages: [
      { id: "s", role: "system", content: "be brief" },
      { id: "d", role: "developer", content: "debug" },
      user("**not** markdown\n<b>x</b>"),
      { id: "x", role: "activity", activityType: "chart", content: {} },
    ],
  });
  expect(screen.queryByText(/be brief|debug/)).toBeNull();
  expect(document.querySelector(".ps-bubble")!.textContent).toBe("**not** markdown\n<b>x</b>");
});

it("leaves a question whose run was refused the model in the conversation, to be tried again", async () => {
  const agent = scriptedAgent([{ reply: [fail("unauthorized", "llm_auth"), text("Here.")] }]);
  const client = createPagesideClient({ url: "https://test", fetch: agent.fetch });
  drawTray(client);
  const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  fireEvent.change(box(), { target: { value: "what now" } });
  fireEvent.keyDown(box(), { key: "Enter" });
  await screen.findByText(/Only whoever runs the server can change that/);
  expect(screen.getByRole("log").textContent).toContain("what now");
  expect(box().value).toBe("");
  fireEvent.click(button("Retry"));
  await screen.findByText("Here.");
  expect(client.getSnapshot().messages.filter(({ role }) => role === "user")).toHaveLength(1);
  client.destroy();
});

it("names tools and arguments as people do", () => {
  expect(["execute_ppl_query", "setTimeRange", "mcp.github:list-issues", "x"].map(humanize)).toEqual([
    "Execute PPL query",
    "Set time range",
    "Mcp github list issues",
    "X",
  ]);
  const tools = ["everything__echo", "git_hub__list-issues", "top_values", "__init", "a__"];
  expect(tools.map(toolTitle)).toEqual(["Echo", "List issues", "Top values", "Init", "A"]);
  expect(tools.slice(0, 3).map(fullToolTitle)).toEqual(["Echo (everything)", "List issues (git_hub)", "Top values"]);
  const span = (from: string, to: string) => summarize({ from, to, interval: "1h" });
  expect(span("2026-03-12T00:00:00Z", "2026-03-14T00:00:00Z")).toMatch(/12.*14.*2026 · 1h$/);
  expect(span("2026-03-12T08:30:00Z", "2026-03-12T09:00:00Z")).toMatch(/8:30.*9:00/);
  const parts = [
    { source: "Orders", from: 50, to: 100, fields: ["id"] },
    { a: true, q: "x  \n y" },
    { streamId: "1", left: 6, at: "2026-03-12T00:00:00Z" },
    { thread: "b1946ac9-2492-4d23-b1a9-6a0a5f6f1c11", name: "Weekly" },
  ];
  expect(parts.map(summarize)).toEqual(["Orders", "x y", "", "Weekly"]);
  expect([[1], null, "s", {}].map(summarize)).toEqual(["", "", "", ""]);
});
