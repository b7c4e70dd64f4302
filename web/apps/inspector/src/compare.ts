/** Two questions, or two runs of one, side by side: prompt, tools, calls, tokens and cost. */
import type { Detail } from "./api.ts";
import { costOf } from "./cost.ts";
import { clock, duration, h, modelOf, number } from "./dom.ts";
import { threadNameOf } from "./groups.ts";
import { plainText } from "./plain.ts";
import { heading } from "./prompt.ts";

/** A row of a comparison: what is compared, and what each run has. */
export type Pair = [what: string, a: string, b: string];

const MISSING = "–";
const counted = (count?: number) => (count === undefined ? "not reported" : number(count));

const tookOf = ({ beganAt, endedAt }: Detail) =>
  endedAt ? duration(Date.parse(endedAt) - Date.parse(beganAt)) : "goes on";
const placeOf = ({ place, stored }: Detail) =>
  [place.page, place.tab, place.subtab].filter(Boolean).join(" / ") || (stored ? "not kept" : "no page");

/** What the runs are. */
export function factsOf(a: Detail, b: Detail): Pair[] {
  const fact = (what: string, of: (run: Detail) => string): Pair => [what, of(a), of(b)];
  return [
    fact("Thread", (run) => threadNameOf([run])),
    fact("Question", ({ question }) => question || "(no question)"),
    fact("Status", ({ status, error }) => [status, error].filter(Boolean).join(": ")),
    fact("Agent", ({ agent }) => agent),
    fact("Model", modelOf),
    fact("Place", placeOf),
    fact("Began", ({ beganAt }) => clock(beganAt)),
    fact("Took", tookOf),
    fact("Model calls", ({ modelCalls }) => number(modelCalls.length)),
    fact("Tool calls", ({ toolCalls }) => number(toolCalls.length)),
    fact("Tokens sent, estimated", ({ usage, stored }) => (stored ? "not kept" : number(usage.prompt))),
    fact("Tokens counted", ({ usage }) => counted(usage.input)),
    fact("From the cache", ({ usage }) => counted(usage.cacheRead)),
    fact("Put into the cache", ({ usage }) => counted(usage.cacheWrite)),
    fact("Answered", ({ usage }) => counted(usage.output)),
    fact("Cost", ({ usage }) => costOf(usage) || "none"),
  ];
}

/** Pairs what both runs have by name, in their order. What one lacks has a dash. */
function paired<Part>(a: Part[], b: Part[], nameOf: (part: Part) => string, say: (part: Part) => string): Pair[] {
  const names = [...new Set([...a, ...b].map(nameOf))];
  const found = (parts: Part[], name: string) => {
    const part = parts.find((each) => nameOf(each) === name);
    return part ? say(part) : MISSING;
  };
  return names.map((name) => [name, found(a, name), found(b, name)]);
}

/** The sections of the system prompts. Those of equal length with other text are marked. */
export function sectionsOf(a: Detail, b: Detail): Pair[] {
  const pairs = paired(a.sections, b.sections, ({ name }) => name, ({ tokens }) => `${number(tokens)} tokens`); // prettier-ignore
  return pairs.map(([name, left, right]) => {
    const [one, other] = [a, b].map(({ sections }) => sections.find((each) => each.name === name));
    const differs = one && other && one.text !== other.text && left === right;
    return [name, left, differs ? `${right}, other text` : right];
  });
}

/** The tools that were offered. */
export function toolsOf(a: Detail, b: Detail): Pair[] {
  const say = ({ frontend, tokens }: Detail["tools"][number]) =>
    `${frontend ? "in the page" : "on the server"}, ${number(tokens)} tokens`;
  return paired(a.tools, b.tools, ({ name }) => name, say);
}

/** The tool calls in their order. */
export function callsOf(a: Detail, b: Detail): Pair[] {
  const say = (run: Detail, index: number) => {
    const call = run.toolCalls[index];
    if (!call) return MISSING;
    return [`${call.name} ${call.args}`, call.isError ? "failed" : ""].filter(Boolean).join(", ");
  };
  const length = Math.max(a.toolCalls.length, b.toolCalls.length);
  return Array.from({ length }, (_, index) => [`Call ${index + 1}`, say(a, index), say(b, index)]);
}

const answerOf = ({ modelCalls }: Detail) =>
  modelCalls
    .filter(({ purpose, text }) => !purpose && text)
    .map(({ text }) => plainText(text!))
    .join("\n\n") || MISSING;

/** The two, which are questions with all their runs, or runs. */
export function compareView(a: Detail, b: Detail, what: "question" | "run"): HTMLElement {
  const part = (title: string, note: string, pairs: Pair[]) => partView(what, title, note, pairs);
  return h(
    "div",
    { class: "compare" },
    part(what === "run" ? "Runs" : "Questions", "what differs is marked", factsOf(a, b)),
    part("System prompt", a.stored || b.stored ? "not kept of a run from before the server's start" : "", sectionsOf(a, b)), // prettier-ignore
    part("Tools offered", "", toolsOf(a, b)),
    part("Tool calls", "", callsOf(a, b)),
    part("Answers", "", [["Text", answerOf(a), answerOf(b)]]),
  );
}

function partView(what: string, title: string, note: string, pairs: Pair[]): HTMLElement {
  return h(
    "section",
    {},
    heading(title, note),
    pairs.length === 0
      ? h("p", { class: "quiet" }, "None.")
      : h(
          "div",
          { class: "scroll", tabindex: 0, role: "group", "aria-label": title },
          h("table", {}, head(what), h("tbody", {}, pairs.map(row))),
        ),
  );
}

const head = (what: string) =>
  h("thead", {}, h("tr", {}, ["", `First ${what}`, `Second ${what}`].map((name) => (name ? h("th", { scope: "col" }, name) : h("td", {}))))); // prettier-ignore

function row([what, a, b]: Pair): HTMLElement {
  const differs = a !== b && what !== "Began"; // no two runs begin at the same time
  return h(
    "tr",
    { class: differs && "differs" },
    h("th", { scope: "row" }, what, differs ? h("span", { class: "tag warn" }, "differs") : ""),
    h("td", {}, a),
    h("td", {}, b),
  );
}
