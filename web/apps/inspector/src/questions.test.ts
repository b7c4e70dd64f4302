import { describe, expect, it } from "vitest";
import { answerOf } from "./answer.ts";
import type { Call, Detail, Summary } from "./api.ts";
import { callsOf, compareView, factsOf, sectionsOf, toolsOf } from "./compare.ts";
import { feedbackView, ratingsOf } from "./feedback.ts";
import { FilterForm, matches, NO_FILTER, type Filter } from "./filter.ts";
import { groupRuns, questionOf, statusOf, tookOf, usageOf } from "./groups.ts";
import { chatUrl, compareHash, hashOf, keepOrigin, readHash } from "./link.ts";
import { drawList, tick } from "./list.ts";
import { plainText } from "./plain.ts";
import { merged, timelineView } from "./timeline.ts";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString();

const run = (id: string, more: Partial<Summary> = {}): Summary => ({
  id,
  threadId: "t1",
  questionId: "q1",
  agent: "default",
  subject: "ann",
  model: "openai/gpt-5",
  place: { page: "discover" },
  question: "Who are the top clients?",
  status: "done",
  beganAt: at(0),
  endedAt: at(1),
  steps: 1,
  calls: 1,
  toolNames: ["top_clients"],
  usage: { prompt: 100 },
  ...more,
});

const first = run("r1", { toolNames: ["paint"], usage: { prompt: 100, input: 90, cost: 0.5 } });
const second = run("r2", { beganAt: at(3), endedAt: at(5), toolNames: [], calls: 0, brings: ["paint"], usage: { prompt: 50, unpriced: 1 } }); // prettier-ignore
const later = run("r3", { questionId: "q2", question: "And yesterday?", beganAt: at(9), endedAt: at(10) });
const other = run("r4", { threadId: "t2", questionId: "q1", question: "Hello", beganAt: at(6), endedAt: at(7) });

describe("runs are grouped", () => {
  it("by question and thread, the newest first; a question's runs stand in their order", () => {
    const groups = groupRuns([later, other, second, first]);
    const shown = groups.map(({ threadId, questions }) => [threadId, questions.map(({ runs }) => runs.map(({ id }) => id))]); // prettier-ignore
    expect(shown).toEqual([
      ["t1", [["r3"], ["r1", "r2"]]],
      ["t2", [["r4"]]],
    ]);
  });

  it("under the thread's title, else its first question, else its id", () => {
    const named = (...runs: Summary[]) => groupRuns(runs)[0]!.name;
    expect(named({ ...later, threadTitle: "Top clients" }, { ...first, threadTitle: "Top" })).toBe("Top clients");
    expect(named(later, { ...first, threadTitle: "Top" })).toBe("Top");
    expect(named(later, second, first)).toBe("Who are the top clients?");
    expect(named({ ...first, question: "" })).toBe("t1");
    const list = document.createElement("nav");
    drawList(list, { runs: [{ ...first, threadTitle: "Top" }], filtered: false, choose: () => undefined });
    expect(list.querySelector("section")!.getAttribute("aria-label")).toBe("Thread: Top");
    expect(list.querySelector(".thread-name")!.textContent).toBe("Top");
    expect(list.querySelector(".thread-name")!.getAttribute("title")).toBe("Thread t1");
  });

  it("each by itself where the question is not known", () => {
    const [group] = groupRuns([{ ...first, questionId: undefined }, { ...second, questionId: undefined }]); // prettier-ignore
    expect(group!.questions).toHaveLength(2);
  });

  it("with the time, the usage and the status of all of them", () => {
    const question = questionOf(groupRuns([second, first]), "r1")!;
    expect(tookOf(question, 0)).toBe(5000);
    expect(usageOf(question.runs)).toEqual({ prompt: 150, input: 90, cost: 0.5, unpriced: 1 });
    expect(statusOf(questionOf(groupRuns([{ ...second, status: "failed" }, first]), "r1")!)).toBe("failed");
  });

  it("and their calls are one timeline", () => {
    const call = (id: string, step: number): Call => ({ id, name: id, args: "{}", decision: "page", step, beganAt: at(0), endedAt: at(2) }); // prettier-ignore
    const detail = (of: Summary, toolCalls: Call[]) =>
      ({ ...of, withheld: [], sections: [], tools: [], context: [], toolCalls, modelCalls: [{ purpose: "", model: "m", attempt: 1, beganAt: of.beganAt, firstMs: 1, ms: 9, messages: [], unchanged: 0, usage: { prompt: 1 }, text: `**${of.id}**` }] }) satisfies Detail; // prettier-ignore
    const all = merged([detail(first, [call("a", 0)]), detail(second, [call("b", 0), call("c", -1)])]);
    expect(all.toolCalls.map(({ id, step }) => [id, step])).toEqual([["a", 0], ["b", 1], ["c", -1]]); // prettier-ignore
    const approved = merged([detail(first, [{ ...call("a", 0), decision: "approval" }]), detail(second, [call("a", -1)])]); // prettier-ignore
    expect(approved.toolCalls.map(({ decision }) => decision)).toEqual(["page"]);
    expect([all.beganAt, all.endedAt]).toEqual([first.beganAt, second.endedAt]);
    document.body.append(timelineView(all));
    expect([...document.querySelectorAll(".answer")].map(({ textContent }) => textContent)).toEqual(["r1", "r2"]);
    expect(document.querySelectorAll(".row-label")).toHaveLength(5);
  });
});

describe("the list", () => {
  const draw = (runs: Summary[], chosen?: string, filtered = false) => {
    const list = document.createElement("nav");
    document.body.append(list);
    const picked: string[] = [];
    drawList(list, { runs, filtered, chosen, choose: (id) => picked.push(id) });
    return { list, picked };
  };

  it("has a row for each question, with the runs of the one that is shown", () => {
    const { list, picked } = draw([later, second, first], "r2");
    const rows = [...list.querySelectorAll<HTMLElement>(".run")];
    expect(rows.map((row) => row.querySelector(".question")!.textContent)).toEqual([later.question, first.question]);
    expect(rows[1]!.textContent).toContain("5.0 s · ");
    expect(rows[1]!.textContent).toContain("2 runs · 2 model calls · 1 tool call · 150 tokens");
    const parts = [...list.querySelectorAll<HTMLElement>(".runs-of button")];
    expect(parts.map(({ textContent }) => textContent)).toEqual([
      "Run 1: the question · 1.0 s",
      "Run 2: with the result of paint · 2.0 s",
    ]);
    rows[1]!.click();
    parts[0]!.click();
    expect(picked).toEqual(["r2", "r1"]);
  });

  it("marks what goes on, and counts its time without drawing it again", () => {
    const { list } = draw([run("r", { status: "live", endedAt: undefined, beganAt: new Date(Date.now() - 61_000).toISOString() })]); // prettier-ignore
    const row = list.querySelector(".run")!;
    expect(row.querySelector(".tag.live")!.textContent).toBe("live");
    const took = row.querySelector<HTMLElement>("[data-since]")!;
    took.dataset.since = String(Date.now() - 125_000);
    tick(list);
    expect(took.textContent).toBe("2.1 min");
    expect(list.querySelector(".run")).toBe(row);
  });

  it("keeps the focus when it is drawn again, and says why it is empty", () => {
    const { list } = draw([first]);
    list.querySelector<HTMLElement>(".run")!.focus();
    drawList(list, { runs: [later, first], filtered: false, choose: () => undefined });
    expect(document.activeElement!.textContent).toContain(first.question);
    expect(draw([]).list.textContent).toContain("No run yet");
    expect(draw([], undefined, true).list.textContent).toContain("No run is like that");
  });
});

describe("the filter", () => {
  const found = (filter: Partial<Filter>) => matches({ ...second, threadTitle: "Named by title" }, { ...NO_FILTER, ...filter }, Date.parse(at(3)) + 3_600_000 * 2); // prettier-ignore

  it.each<[Partial<Filter>, boolean]>([
    [{}, true],
    [{ text: "TOP clients" }, true],
    [{ text: "top servers" }, false],
    [{ text: "r2" }, true],
    [{ text: "t1 ann" }, true],
    [{ text: "by title" }, true],
    [{ status: "done" }, true],
    [{ status: "failed" }, false],
    [{ agent: "default" }, true],
    [{ agent: "research" }, false],
    [{ model: "openai/gpt-5" }, true],
    [{ model: "openai" }, false],
    [{ tool: "paint" }, true],
    [{ tool: "count" }, false],
    [{ hours: "1" }, false],
    [{ hours: "24" }, true],
    [{ text: "clients", tool: "count" }, false],
  ])("%j finds it: %s", (filter, expected) => expect(found(filter)).toBe(expected));

  it("offers what the runs have, and keeps what is chosen", () => {
    let changes = 0;
    const form = new FilterForm(() => changes++);
    document.body.append(form.element);
    form.offer([first, later]);
    const tools = form.element.querySelector<HTMLSelectElement>('[name="tool"]')!;
    expect([...tools.options].map(({ value }) => value)).toEqual(["", "paint", "top_clients"]);
    tools.value = "paint";
    tools.dispatchEvent(new Event("input", { bubbles: true }));
    expect([changes, form.value.tool]).toEqual([1, "paint"]);
    const option = tools.options[1]!;
    form.offer([first, later]);
    expect(tools.options[1]).toBe(option); // an open list is not drawn again
    form.offer([later]);
    expect(tools.value).toBe("paint");
  });
});

describe("answers", () => {
  it.each([
    ["## Top\n\n**18.221.85.156** sent `1,204` *requests*", "Top\n\n18.221.85.156 sent 1,204 requests"],
    ["- one\n- [x] two\n1. three", "• one\n• two\n1. three"],
    ["| a | b |\n|---|:-:|\n| 1 | **2** |", "a   b\n1   2"],
    ["```sql\nsource = `x` | **y**\n```\nend", "source = `x` | **y**\nend"],
    ["[here](https://x.example) and [](u)", "here (https://x.example) and u"],
    ["snake_case_name, 2 * 3 * 4, a\\*b", "snake_case_name, 2 * 3 * 4, a*b"],
    ["> quoted __bold__ ~~gone~~\n\n---", "quoted bold gone\n\n"],
    ["`**code**` stays", "**code** stays"],
  ])("%j is shown as %j", (markdown, text) => expect(plainText(markdown)).toBe(text));

  it("have their tables as tables, with the numbers under one another", () => {
    const answer = answerOf(
      "Of **404**:\n\n| Page | Requests |\n|---|--:|\n| `/a` | 69 |\n| a \\| b | *5* |\n\nThat is all.",
    );
    expect([...answer.children].map(({ tagName, textContent }) => [tagName, textContent])).toEqual([
      ["P", "Of 404:"],
      ["TABLE", "PageRequests/a69a | b5"],
      ["P", "That is all."],
    ]);
    expect([...answer.querySelectorAll("[data-end]")].map(({ textContent }) => textContent)).toEqual([
      "Requests",
      "69",
      "5",
    ]);
  });

  it.each([
    ["### Top\n\n**a** and `b`\n", "<h4>Top</h4><p><strong>a</strong> and <code>b</code></p>"],
    ["- x\n- [x] y\n", "<ul><li>x</li><li>☑ y</li></ul>"],
    ["3. x\n4. y\n", '<ol start="3"><li>x</li><li>y</li></ol>'],
    ["```sql\na  < b\n```\n", "<pre>a  &lt; b</pre>"],
    ["> a\n\n---\n\nb  \nc", "<blockquote><p>a</p></blockquote><hr><p>b<br>c</p>"],
    ["[here](javascript:alert(1)) https://a.example", "<p>here (javascript:alert(1)) https://a.example</p>"],
    ["<img src=x onerror=alert(1)> &lt;b&gt;", "<p>&lt;img src=x onerror=alert(1)&gt; &lt;b&gt;</p>"],
  ])("%j is shown as %s", (markdown, html) => expect(answerOf(markdown).innerHTML).toBe(html));

  it("keep the marks of lines that are too long to search", () => {
    const long = `**${"a".repeat(10_000)}**`;
    expect(plainText(`**b**\n${long}`)).toBe(`b\n${long}`);
  });
});

const detailOf = (of: Summary, more: Partial<Detail> = {}): Detail => ({
  ...of,
  withheld: [],
  sections: [{ name: "agent", text: "Be brief.", tokens: 3 }],
  tools: [{ name: "count", description: "", tokens: 7, frontend: false }],
  context: [],
  modelCalls: [],
  toolCalls: [],
  ...more,
});

describe("two runs are compared", () => {
  const call = (name: string, isError = false): Call => ({ id: name, name, args: "{}", decision: "runs", step: 0, beganAt: at(0), isError }); // prettier-ignore
  const a = detailOf(first, { toolCalls: [call("count"), call("paint")] });
  const b = detailOf(
    { ...later, effort: "high" },
    {
      sections: [
        { name: "agent", text: "Be funny.", tokens: 3 },
        { name: "page", text: "x", tokens: 9 },
      ],
      tools: [{ name: "draw", description: "", tokens: 2, frontend: true }],
      toolCalls: [call("count", true)],
    },
  );

  it("by facts, sections, tools and calls", () => {
    const facts = new Map(factsOf(a, b).map(([what, ...both]) => [what, both]));
    expect(facts.get("Question")).toEqual([first.question, later.question]);
    expect(facts.get("Model")).toEqual(["openai/gpt-5", "openai/gpt-5, effort high"]);
    expect(facts.get("Cost")).toEqual(["$0.50", "none"]);
    expect(facts.get("Tokens counted")).toEqual(["90", "not reported"]);
    expect(facts.get("Tool calls")).toEqual(["2", "1"]);
    expect(sectionsOf(a, b)).toEqual([
      ["agent", "3 tokens", "3 tokens, other text"],
      ["page", "–", "9 tokens"],
    ]);
    expect(toolsOf(a, b)).toEqual([
      ["count", "on the server, 7 tokens", "–"],
      ["draw", "–", "in the page, 2 tokens"],
    ]);
    expect(callsOf(a, b)).toEqual([
      ["Call 1", "count {}", "count {}, failed"],
      ["Call 2", "paint {}", "–"],
    ]);
  });

  it("a question with all of its runs", () => {
    const whole = merged([detailOf(first, { toolCalls: [call("paint")] }), detailOf({ ...second, status: "failed" }, { toolCalls: [call("count")] })]); // prettier-ignore
    const facts = new Map(factsOf(whole, b).map(([what, ...both]) => [what, both]));
    expect(facts.get("Status")).toEqual(["failed", "done"]);
    expect(facts.get("Took")).toEqual(["5.0 s", "1.0 s"]);
    expect(facts.get("Tool calls")).toEqual(["2", "1"]);
    expect(facts.get("Tokens sent, estimated")).toEqual(["150", "100"]);
    const titles = (what: "question" | "run") =>
      [...compareView(whole, b, what).querySelectorAll("thead th")].slice(0, 2).map(({ textContent }) => textContent);
    expect(titles("question")).toEqual(["First question", "Second question"]);
    expect(titles("run")).toEqual(["First run", "Second run"]);
  });

  it("and what differs is marked", () => {
    document.body.append(compareView(a, b, "question"));
    const marked = [...document.querySelectorAll("tr.differs th")].map(({ textContent }) => textContent);
    expect(marked).toContain("Questiondiffers");
    expect(marked).not.toContain("Agentdiffers");
    document.body.replaceChildren(compareView(a, { ...a, stored: true }, "run"));
    expect(document.body.textContent).toContain("not kept of a run from before the server's start");
  });
});

describe("ratings", () => {
  it("are those of the question's runs, with reason and comment", () => {
    const message = { id: "m", role: "assistant" };
    const ratings = ratingsOf(
      [
        { runId: "r1", message },
        { runId: "r2", message, feedback: { rating: -1, comment: "<b>Wrong</b>", reasons: ["inaccurate"] } },
        { runId: "r9", message, feedback: { rating: 1 } },
      ],
      ["r1", "r2"],
    );
    document.body.append(...feedbackView(ratings));
    expect(document.body.textContent).toBe("👎 bad answer inaccurate · <b>Wrong</b>");
  });
});

describe("the address", () => {
  it("names a run, two to compare, or a message", () => {
    expect(readHash("#r%201")).toEqual({ run: "r 1" });
    expect(readHash("")).toEqual({});
    for (const id of ["r1", "a=b&c", "ü/?"]) expect(readHash(hashOf(id)).run).toBe(id);
    expect(readHash(compareHash("a&b", "c")).compare).toEqual(["a&b", "c"]);
    expect(readHash("#thread=t&message=m&from=x")).toMatchObject({ message: { threadId: "t", messageId: "m" }, from: "x" }); // prettier-ignore
  });

  it("leads back to the chat it came from, and nowhere else", () => {
    expect(chatUrl("t")).toBeUndefined();
    for (const from of ["https://evil.example/", "javascript:alert(1)", "nonsense", `data:text/html,x`])
      keepOrigin(from, "https://app.example/");
    expect(chatUrl("t")).toBeUndefined();
    keepOrigin("https://app.example/orders?id=7#x", "https://app.example/");
    expect(chatUrl("t 1")).toBe("https://app.example/orders?id=7&pageside-thread=t+1#x");
    keepOrigin(`${location.origin}/demo`, "");
    expect(chatUrl("t")).toBe(`${location.origin}/demo?pageside-thread=t`);
  });
});
