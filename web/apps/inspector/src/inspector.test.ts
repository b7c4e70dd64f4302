import { describe, expect, it, vi } from "vitest";
import { eventsIn, getEvents, type Call, type Detail, type RunEvent } from "./api.ts";
import { costOf, usageLine } from "./cost.ts";
import { block, h } from "./dom.ts";
import { promptView, sectionList } from "./prompt.ts";
import { eventsView, grouped, shownAfter } from "./replay.ts";
import { timelineView } from "./timeline.ts";

const talk: RunEvent[] = [
  { type: "RUN_STARTED", runId: "r" },
  { type: "TEXT_MESSAGE_START", messageId: "a" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "Let me " },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "look." },
  { type: "TOOL_CALL_START", toolCallId: "t", toolCallName: "count" },
  { type: "TOOL_CALL_ARGS", toolCallId: "t", delta: '{"of":' },
  { type: "TOOL_CALL_ARGS", toolCallId: "t", delta: '"x"}' },
  { type: "TOOL_CALL_END", toolCallId: "t" },
  { type: "TOOL_CALL_RESULT", toolCallId: "t", messageId: "m", content: "7" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "b", delta: "Seven." },
  { type: "RUN_FINISHED", runId: "r" },
];

const shown = (events: RunEvent[], count = events.length) =>
  shownAfter(events, count).map(({ who, text }) => `${who}: ${text}`);

describe("what was on screen", () => {
  it("is nothing before the first event", () => expect(shown(talk, 0)).toEqual([]));

  it("grows with each event, and goes back the same way", () => {
    expect(shown(talk, 3)).toEqual(["answer: Let me "]);
    expect(shown(talk, 6)).toEqual(["answer: Let me look.", 'tool: count {"of":']);
    expect(shown(talk)).toEqual(["answer: Let me look.", 'tool: count {"of":"x"}\n→ 7', "answer: Seven."]);
    expect(shown(talk, 3)).toEqual(["answer: Let me "]);
  });

  it("keeps thoughts apart from answers, and tells how it failed", () => {
    const events = [
      { type: "REASONING_MESSAGE_CONTENT", messageId: "x", delta: "Hm." },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "x", delta: "Yes." },
      { type: "RUN_ERROR", message: "The model is gone." },
    ];
    expect(shown(events)).toEqual(["thought: Hm.", "answer: Yes.", "error: The model is gone."]);
  });

  it("has a card once, as its newest event made it", () => {
    const events: RunEvent[] = [
      { type: "ACTIVITY_SNAPSHOT", messageId: "c", activityType: "chart", content: { data: [1] } },
      { type: "ACTIVITY_DELTA", messageId: "c", patch: [{ op: "add", path: "/data/-", value: 2 }] },
      { type: "ACTIVITY_DELTA", messageId: "unknown", patch: [{ op: "add", path: "/x", value: 1 }] },
      { type: "ACTIVITY_SNAPSHOT", messageId: "c", activityType: "chart", content: { data: [] } },
    ];
    expect(shown(events, 1)).toEqual(['card: chart {"data":[1]}']);
    expect(shown(events, 3)).toEqual(['card: chart {"data":[1,2]}']);
    expect(shown(events)).toEqual(['card: chart {"data":[]}']);
  });
});

describe("the list of events", () => {
  it("has deltas of one message in one line, and not those of two", () => {
    const lines = grouped(talk).map(({ event, count, from, says }) => [event.type, count, from, says]);
    expect(lines.slice(2, 5)).toEqual([
      ["TEXT_MESSAGE_CONTENT", 2, 2, "Let me look."],
      ["TOOL_CALL_START", 1, 4, "count"],
      ["TOOL_CALL_ARGS", 2, 5, '{"of":"x"}'],
    ]);
    const other = { type: "TEXT_MESSAGE_CONTENT", delta: "x" };
    expect(
      grouped([
        { ...other, messageId: "a" },
        { ...other, messageId: "b" },
      ]),
    ).toHaveLength(2);
  });

  it("counts every event once", () => {
    const lines = grouped(talk);
    expect(lines.reduce((sum, { count }) => sum + count, 0)).toBe(talk.length);
    for (const [index, line] of lines.entries())
      expect(line.from + line.count).toBe(lines[index + 1]?.from ?? talk.length);
  });

  it("does not take two events without deltas for one", () => {
    expect(grouped([{ type: "STEP_STARTED" }, { type: "STEP_STARTED" }])).toHaveLength(2);
  });

  it("is played from any position", () => {
    document.body.append(eventsView(talk));
    const slider = document.querySelector<HTMLInputElement>("input[type=range]")!;
    expect(document.querySelector(".stage")!.textContent).toContain("Seven.");
    slider.value = "3";
    slider.dispatchEvent(new Event("input"));
    expect(document.querySelector(".stage")!.textContent).toBe("answerLet me ");
    expect(document.querySelector("output")!.textContent).toBe("3 of 11");
    slider.value = "0";
    slider.dispatchEvent(new Event("input"));
    expect(document.querySelector(".stage")!.textContent).toBe("Nothing is shown yet.");
  });
});

describe("sections", () => {
  it("have their text, their tokens and their share", () => {
    document.body.append(
      sectionList([
        { name: "agent", text: "You help.", tokens: 30 },
        { name: "page", text: "A table.", tokens: 1090, cache: true },
      ]),
    );
    const [agent, page] = [...document.querySelectorAll("details")];
    expect(agent!.querySelector(".num")!.textContent).toBe("30");
    expect(agent!.textContent).not.toContain("cache");
    expect(page!.querySelector(".num")!.textContent).toBe("1,090");
    expect(page!.textContent).toContain("cache up to here");
    expect(page!.querySelector("pre")!.textContent).toBe("A table.");
    const widths = [...document.querySelectorAll<HTMLElement>(".bar > span")].map(({ style }) => style.inlineSize);
    expect(widths).toEqual(["3%", "97%"]);
  });

  it("of nothing divide by nothing", () => {
    document.body.append(sectionList([{ name: "empty", text: "", tokens: 0 }]));
    expect(document.querySelector<HTMLElement>(".bar > span")!.style.inlineSize).toBe("0%");
  });
});

const usage = { prompt: 1 };
const hostile = `<img src=x onerror="globalThis.hit=1"><script>globalThis.hit=1</script></pre>&lt;`;

function runOf(text: string): Detail {
  const call: Call = {
    id: "c",
    name: text,
    args: text,
    decision: text,
    why: text,
    rule: text,
    step: 0,
    beganAt: "2026-01-01T00:00:00Z",
    endedAt: "2026-01-01T00:00:01Z",
    result: text,
  };
  const step = {
    purpose: text,
    model: text,
    attempt: 2,
    beganAt: call.beganAt,
    firstMs: 3,
    ms: 9,
    unchanged: 0,
    usage,
  };
  return {
    id: text,
    threadId: text,
    agent: text,
    subject: text,
    model: text,
    place: { page: text },
    question: text,
    status: "done",
    beganAt: call.beganAt,
    endedAt: call.endedAt,
    steps: 1,
    calls: 1,
    toolNames: [text],
    usage,
    withheld: [{ name: text, rule: text, reason: text }],
    sections: [{ name: text, text, tokens: 1 }],
    tools: [{ name: text, description: text, parameters: { [text]: text }, tokens: 1, frontend: true }],
    context: [{ description: text, label: text, kind: text, source: text, tokens: 1, value: text }],
    warnings: [text],
    modelCalls: [{ ...step, messages: [{ role: text, text, tokens: 1 }], text, reasoning: text, error: text }],
    toolCalls: [call, { ...call, id: "d", decision: "runs", isError: true }],
  };
}

describe("permissions", () => {
  it("say which rule decided about a call, and which tools were withheld", () => {
    const run = runOf("x");
    run.toolCalls = [{ ...run.toolCalls[0]!, decision: "refused", why: "above the limit", rule: "four eyes" }];
    run.withheld = [{ name: "wipe", rule: "default", reason: "no rule allows it" }];
    document.body.append(timelineView(run), promptView(run));
    expect(document.body.textContent).toContain("Because: above the limit");
    expect(document.body.textContent).toContain("Decided by the permission: four eyes");
    expect(document.body.textContent).toContain("wipe by default: no rule allows it");
  });
});

describe("the cost", () => {
  const costs = () =>
    [...document.querySelectorAll(".costs tr")].map((tr) => [...tr.children].map((cell) => cell.textContent));

  it("is said of each call and of the run, with what the cache served and took", () => {
    const run = runOf("x");
    const step = run.modelCalls[0]!;
    const calls = [
      { prompt: 900, input: 1000, cacheRead: 0, cacheWrite: 900, output: 10, cost: 0.0035 },
      { prompt: 950, input: 1050, cacheRead: 900, cacheWrite: 0, output: 20, cost: 0.00102 },
    ];
    run.modelCalls = calls.map((usage) => ({
      ...step,
      purpose: undefined,
      model: "anthropic/claude-sonnet-4-5",
      effort: "high",
      usage,
    }));
    run.usage = { prompt: 1850, input: 2050, cacheRead: 900, cacheWrite: 900, output: 30, cost: 0.00452 };
    document.body.append(promptView(run));
    expect(costs()).toEqual([
      ["Call", "Cost", "Sent", "Read from cache", "Put into cache", "Answered"],
      ["1", "$0.0035", "1,000", "0", "900", "10"],
      ["2", "$0.00102", "1,050", "900", "0", "20"],
      ["All", "$0.00452", "2,050", "900", "900", "30"],
    ]);
    expect(document.body.textContent).toContain(
      "900 from the cache (86 %) · 0 put into the cache · 20 answered · $0.00102",
    );
    expect(document.body.textContent).toContain("anthropic/claude-sonnet-4-5, effort high, ");
  });

  it("that is unknown is no zero", () => {
    const run = runOf("x");
    const step = run.modelCalls[0]!;
    run.modelCalls = [
      { ...step, purpose: undefined, usage: { prompt: 40, unpriced: 1 } },
      { ...step, purpose: "title", usage: { prompt: 60, input: 70, output: 4, cost: 0.5 } },
    ];
    run.usage = { prompt: 100, input: 70, output: 4, cost: 0.5, unpriced: 1 };
    document.body.append(promptView(run));
    expect(costs().slice(1)).toEqual([
      ["1", "cost unknown", "about 40", "not reported", "not reported", "not reported"],
      ["2, title", "$0.50", "70", "not reported", "not reported", "4"],
      ["All", "$0.50 + unknown", "70", "not reported", "not reported", "4"],
    ]);
    expect(document.body.textContent).toContain("title of the thread");
  });

  it("has digits enough for small amounts, and is left out where there is none", () => {
    expect([0, 12.5, 0.25, 0.00000025, 0.000002].map((cost) => costOf({ prompt: 1, cost }))).toEqual([
      "$0.00",
      "$12.50",
      "$0.25",
      "under $0.000001",
      "$0.000002",
    ]);
    expect(usageLine({ prompt: 7 }).textContent).toBe("about 7 tokens sent");
    expect(usageLine({ prompt: 0, input: 9 }).textContent).toBe("9 counted");
  });
});

describe("what models and strangers wrote", () => {
  it.each(["prompt", "timeline", "events"])("stays text in the %s", (view) => {
    const run = runOf(hostile);
    const events = [
      { type: hostile, name: hostile },
      { type: "TEXT_MESSAGE_CONTENT", messageId: hostile, delta: hostile },
      { type: "ACTIVITY_SNAPSHOT", messageId: "c", activityType: hostile, content: { [hostile]: hostile } },
      { type: "RUN_ERROR", message: hostile },
    ];
    const views = {
      prompt: () => promptView(run),
      timeline: () => timelineView(run),
      events: () => eventsView(events),
    };
    document.body.append(views[view as keyof typeof views]());
    expect(document.querySelectorAll("img, script")).toHaveLength(0);
    expect(document.body.textContent).toContain(hostile);
    expect("hit" in globalThis).toBe(false);
    const handlers = [...document.querySelectorAll("*")].flatMap((element) =>
      element.getAttributeNames().filter((name) => /^on/i.test(name)),
    );
    expect(handlers).toEqual([]);
  });

  it("stays text in an attribute", () => {
    const element = h("span", { title: `"><img src=x onerror=1>` }, 3, false, undefined, null);
    expect(element.outerHTML).not.toContain("<img");
    expect(element.textContent).toBe("3");
  });

  it("can be scrolled with the keyboard where it is long, and costs no tab stop where it is short", () => {
    expect(block("Short", "a\nb").getAttribute("tabindex")).toBeNull();
    expect(block("Lines", "a\n".repeat(40)).getAttribute("tabindex")).toBe("0");
    expect(block("Wide", "a".repeat(4000)).getAttribute("aria-label")).toBe("Wide");
  });
});

const streamOf = (chunks: Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = chunks.shift();
      if (next) controller.enqueue(next);
      else controller.close();
    },
  });

describe("the stream of a run", () => {
  const frame = (event: object, id = "r:0.1") => `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
  const answerWith = (...chunks: (string | Uint8Array)[]) => {
    const bytes = chunks.map((chunk) => (typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk));
    const fetched = vi.fn(() => Promise.resolve(new Response(streamOf(bytes))));
    vi.stubGlobal("fetch", fetched);
    return fetched;
  };

  it("is read whole, however it is cut", async () => {
    const text = frame({ type: "A", delta: "ä€😀\n\ndata: no" }) + ": keep-alive\n\n" + frame({ type: "B" });
    const bytes = new TextEncoder().encode(text);
    const fetched = answerWith(...Array.from(bytes, (_, index) => bytes.slice(index, index + 1)));
    const events = await getEvents("a/b", false);
    expect(events).toEqual([{ type: "A", delta: "ä€😀\n\ndata: no" }, { type: "B" }]);
    expect(fetched).toHaveBeenCalledWith("/v1/runs/a%2Fb/events?protocolVersion=1.0", expect.anything());
  });

  it("ends with its last whole frame", () => {
    const whole = frame({ type: "A" });
    const half = frame({ type: "B" });
    for (let end = 0; end < half.length - 1; end++)
      expect(eventsIn(whole + half.slice(0, end))).toEqual([{ type: "A" }]);
    expect(eventsIn(whole + half)).toHaveLength(2);
    expect(eventsIn("")).toEqual([]);
  });

  it("is not waited for while the run goes on", async () => {
    vi.stubGlobal("fetch", (_: string, { signal }: RequestInit) => {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(frame({ type: "A" }) + "id: r:0.2\ndata: {"));
          signal!.addEventListener("abort", () => controller.error(signal!.reason));
        },
      });
      return Promise.resolve(new Response(body));
    });
    expect(await getEvents("r", true)).toEqual([{ type: "A" }]);
  });

  it("says that it is not kept", async () => {
    vi.stubGlobal("fetch", () => Promise.resolve(new Response("{}", { status: 404 })));
    await expect(getEvents("r", false)).rejects.toThrow("not kept any more");
  });
});
