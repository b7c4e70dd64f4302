/** The list of questions, by thread, and the runs of the one that is shown. */
import type { Summary } from "./api.ts";
import { costOf } from "./cost.ts";
import { clock, counted, duration, fill, h, modelOf, number } from "./dom.ts";
import { groupRuns, statusOf, tookOf, usageOf, type Question, type ThreadGroup } from "./groups.ts";

interface Listed {
  /** The runs that the filter selects. */
  runs: readonly Summary[];
  /** Are there others? */
  filtered: boolean;
  chosen?: string;
  choose: (id: string) => void;
}

/** Draws the list anew, keeping focus and scroll position. */
export function drawList(list: HTMLElement, { runs, filtered, chosen, choose }: Listed): void {
  const focused = (document.activeElement as HTMLElement | null)?.dataset.key;
  const empty = filtered
    ? "No run is like that. Change the search or the filter."
    : "No run yet. Ask the assistant something: it shows up here.";
  const groups = groupRuns(runs);
  const children = groups.map((group) => threadView(group, chosen, choose));
  fill(list, ...(children.length > 0 ? children : [h("p", { class: "quiet pad" }, empty)]));
  if (!focused) return;
  [...list.querySelectorAll<HTMLElement>("[data-key]")].find(({ dataset }) => dataset.key === focused)?.focus();
}

function threadView({ threadId, name, questions }: ThreadGroup, chosen: string | undefined, choose: Listed["choose"]) {
  return h(
    "section",
    { class: "thread", "aria-label": `Thread: ${name}` },
    h(
      "p",
      { class: "quiet small thread-name", title: `Thread ${threadId}` },
      h("span", { class: "cut" }, name),
      questions.length > 1 ? h("span", {}, ` · ${counted(questions.length, "question")}`) : "",
    ),
    questions.map((question) => questionView(question, chosen, choose)),
  );
}

function questionView(question: Question, chosen: string | undefined, choose: Listed["choose"]): HTMLElement {
  const { runs, text, key } = question;
  const isChosen = runs.some(({ id }) => id === chosen);
  const newest = runs.at(-1)!;
  const row = h(
    "button",
    {
      type: "button",
      class: "run",
      "data-key": key,
      "aria-current": isChosen ? "true" : undefined,
      click: () => choose(newest.id),
    },
    h("span", { class: `dot ${statusOf(question)}`, "aria-hidden": "true" }),
    h("span", { class: "question cut" }, text || "(no question)"),
    h("span", { class: "quiet small" }, ...summaryOf(question)),
    h("span", { class: "quiet small cut" }, placeOf(newest)),
  );
  return h("div", {}, row, isChosen && runs.length > 1 ? runsView(question, chosen, choose) : "");
}

function summaryOf(question: Question): (HTMLElement | string)[] {
  const { runs } = question;
  const status = statusOf(question);
  const usage = usageOf(runs);
  const sum = (name: "steps" | "calls") => runs.reduce((total, run) => total + run[name], 0);
  const parts = [
    clock(runs[0]!.beganAt),
    runs.length > 1 ? counted(runs.length, "run") : "",
    sum("steps") > 0 ? counted(sum("steps"), "model call") : "",
    sum("calls") > 0 ? counted(sum("calls"), "tool call") : "",
    usage.prompt > 0 ? `${number(usage.prompt)} tokens` : "",
    costOf(usage),
    runs.some(({ stored }) => stored) ? "from the log" : "",
  ];
  return [
    status === "done" ? "" : mark(status),
    " ",
    tookView(question),
    [" ", ...parts.filter(Boolean)].join(" · ").replace(/^ {2}·/, " ·"),
  ];
}

const mark = (status: Summary["status"]) => h("span", { class: `tag ${status === "live" ? "live" : ""}` }, status);

/** How long it took. That of a live run is counted on: see `tick`. */
function tookView(question: Question): HTMLElement {
  const live = statusOf(question) === "live";
  const since = live ? Date.parse(question.runs[0]!.beganAt) : undefined;
  return h("span", { class: "took", "data-since": since }, duration(tookOf(question, Date.now())));
}

/** Counts the time of live runs on, without drawing anything else. */
export function tick(root: ParentNode): void {
  for (const element of root.querySelectorAll<HTMLElement>("[data-since]"))
    element.textContent = duration(Date.now() - Number(element.dataset.since));
}

function runsView({ runs, key }: Question, chosen: string | undefined, choose: Listed["choose"]): HTMLElement {
  return h(
    "ol",
    { class: "runs-of" },
    runs.map((run, index) =>
      h(
        "li",
        {},
        h(
          "button",
          {
            type: "button",
            "data-key": `${key} ${run.id}`,
            "aria-current": run.id === chosen ? "true" : undefined,
            click: () => choose(run.id),
          },
          whatOf(run, index),
        ),
      ),
    ),
  );
}

/** What a run does for its question. */
export function whatOf({ brings, beganAt, endedAt }: Summary, index: number): string {
  const took = endedAt ? duration(Date.parse(endedAt) - Date.parse(beganAt)) : "live";
  const what = brings?.length ? `with the result of ${brings.join(", ")}` : index === 0 ? "the question" : "goes on";
  return `Run ${index + 1}: ${what} · ${took}`;
}

/** Where the user was. The store does not say. */
const placeOf = ({ place, stored, ...asked }: Summary) =>
  [[place.page, place.tab, place.subtab].filter(Boolean).join(" / ") || (stored ? "" : "no page"), modelOf(asked)]
    .filter(Boolean)
    .join(" · ");
