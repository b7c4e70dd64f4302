/** The timeline: model calls and tool calls as bars, then the decisions about each call. */
import { answerOf } from "./answer.ts";
import type { Call, Detail } from "./api.ts";
import { block, clock, duration, h, pretty } from "./dom.ts";
import { usageOf } from "./groups.ts";
import { heading } from "./prompt.ts";

interface Bar {
  label: string;
  kind: "model" | "tool" | "wait";
  from: number;
  to: number;
  first?: number;
  bad?: boolean;
}

const SVG = "http://www.w3.org/2000/svg";
const ROW = 24;

function barsOf(run: Detail, now: number): Bar[] {
  const models = run.modelCalls.map((step, index): Bar => {
    const from = Date.parse(step.beganAt);
    const first = step.firstMs >= 0 ? from + step.firstMs : undefined;
    return {
      label: `model call ${index + 1}${step.purpose ? `, ${step.purpose}` : ""}`,
      kind: "model",
      from,
      to: from + step.ms,
      first,
      bad: Boolean(step.error),
    };
  });
  const tools = run.toolCalls.flatMap((call): Bar[] => {
    const inPage = call.decision === "page" && call.endedAt !== undefined;
    if (call.decision !== "runs" && !inPage) return [];
    const from = Date.parse(call.beganAt);
    return [
      { label: call.name, kind: "tool", from, to: call.endedAt ? Date.parse(call.endedAt) : now, bad: call.isError },
    ];
  });
  return [...models, ...tools].sort((a, b) => a.from - b.from);
}

/** The runs of a question as one, oldest first: what was called in all of them. */
export function merged(runs: readonly Detail[]): Detail {
  const modelCalls = runs.flatMap((run) => run.modelCalls);
  const before = (index: number) => runs.slice(0, index).reduce((sum, run) => sum + run.modelCalls.length, 0);
  const toolCalls = runs.flatMap((run, index) =>
    run.toolCalls.map((call) => (call.step < 0 ? call : { ...call, step: call.step + before(index) })),
  );
  // a call that waited for a person ran in a later run
  const newest = toolCalls.filter(({ id }, index) => !toolCalls.slice(index + 1).some((later) => later.id === id));
  const stored = runs.some((run) => run.stored);
  const { endedAt, status, error } = runs.at(-1)!;
  return { ...runs[0]!, endedAt, status, error, usage: usageOf(runs), stored, modelCalls, toolCalls: newest };
}

/** The model and tool calls of a run, over time. */
export function timelineView(run: Detail): HTMLElement {
  const now = run.endedAt ? Date.parse(run.endedAt) : Date.now();
  const bars = barsOf(run, now);
  return h(
    "div",
    {},
    heading("Timeline", `${duration(now - Date.parse(run.beganAt))}, began ${clock(run.beganAt)}`),
    run.stored
      ? h("p", { class: "quiet" }, "When the calls were made is not kept of a run from before the server's start.")
      : bars.length > 0
        ? chart(bars, Date.parse(run.beganAt), now)
        : h("p", { class: "quiet" }, "No model was asked."),
    answers(run),
    heading("Tool calls", String(run.toolCalls.length)),
    h("div", { class: "list" }, run.toolCalls.map(callRow)),
  );
}

/** What was answered. */
function answers({ modelCalls }: Detail): HTMLElement | string {
  const texts = modelCalls.flatMap(({ purpose, text }) => (text && !purpose ? text : []));
  if (texts.length === 0) return "";
  return h("div", {}, heading("Answer"), texts.map(answerOf));
}

function svg(tag: string, props: Record<string, string | number>, ...children: (Node | string)[]): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(props)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** Bars over the run's time, in per cent of it, so that no width has to be known. */
function chart(bars: Bar[], from: number, to: number): HTMLElement {
  const span = Math.max(to - from, 1);
  const at = (time: number) => `${Math.min(100, Math.max(0, (100 * (time - from)) / span)).toFixed(2)}%`;
  const width = (bar: Bar, until: number) => `${Math.max(0.4, (100 * (until - bar.from)) / span).toFixed(2)}%`;
  const rows = bars.map((bar, index) => {
    const y = index * ROW + 6;
    const row = svg("g", { class: `row ${bar.kind}${bar.bad ? " failed" : ""}` });
    row.append(svg("rect", { class: "span", x: at(bar.from), y, width: width(bar, bar.to), height: 12, rx: 3 }));
    if (bar.first)
      row.append(
        svg("rect", { class: "waiting", x: at(bar.from), y, width: width(bar, bar.first), height: 12, rx: 3 }),
      );
    row.append(svg("title", {}, `${bar.label}: ${duration(bar.to - bar.from)}`));
    return row;
  });
  const picture = svg("svg", { class: "chart", height: bars.length * ROW, "aria-hidden": "true" }, ...rows);
  const labels = bars.map(({ label, from: begin, to: end }) =>
    h(
      "div",
      { class: "row-label" },
      h("span", { class: "cut grow" }, label),
      h("span", { class: "num" }, duration(end - begin)),
    ),
  );
  return h("div", { class: "waterfall" }, h("div", { class: "labels" }, labels), picture as unknown as Node);
}

const DECISIONS: Record<string, [text: string, look: string]> = {
  runs: ["ran here", "good"],
  page: ["runs in the page", ""],
  approval: ["waits for approval", "warn"],
  question: ["asks the user", "warn"],
  refused: ["refused", "danger"],
};

function callRow(call: Call): HTMLElement {
  const [text, look] = DECISIONS[call.decision] ?? [call.decision || "no result in this run", ""];
  const took = call.endedAt && call.decision ? duration(Date.parse(call.endedAt) - Date.parse(call.beganAt)) : "";
  return h(
    "details",
    { open: call.isError },
    h(
      "summary",
      {},
      h("code", { class: "grow" }, call.name),
      h("span", { class: `tag ${call.isError ? "danger" : look}` }, call.isError ? "failed" : text),
      h("span", { class: "num" }, took),
    ),
    call.why
      ? h("p", {}, h("span", { class: "quiet" }, call.decision === "runs" ? "Its effect: " : "Because: "), call.why)
      : "",
    call.rule ? h("p", {}, h("span", { class: "quiet" }, "Decided by the permission: "), call.rule) : "",
    h("h3", { class: "part" }, "Arguments"),
    block("Arguments", pretty(call.args || "{}")),
    call.result ? h("h3", { class: "part" }, "Result") : "",
    call.result ? block("Result", pretty(call.result)) : "",
  );
}
