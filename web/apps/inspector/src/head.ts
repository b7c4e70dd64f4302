/** The head of what is shown of a run: its question, its state, and what can be done with it. */
import { getReport, reportUrl, type Detail, type Feedback, type Summary } from "./api.ts";
import { usageLine } from "./cost.ts";
import { h, modelOf } from "./dom.ts";
import { feedbackView } from "./feedback.ts";
import { usageOf } from "./groups.ts";
import { chatUrl } from "./link.ts";
import { whatOf } from "./list.ts";
import { SignInNeeded, typedToken } from "./session.ts";

const LOOKS: Record<Summary["status"], string> = {
  live: "live",
  done: "good",
  failed: "danger",
  cancelled: "",
  interrupted: "danger",
};

interface HeadProps {
  run: Detail;
  /** All runs of its question, oldest first. */
  runs: readonly Summary[];
  ratings: readonly Feedback[];
  tabs: HTMLElement;
  choose: (id: string) => void;
  /** Compares the run with one that is chosen next. */
  compare: () => void;
  comparing: boolean;
  fail: (message: string) => void;
}

/** The head of a run. */
export function headOf({ run, runs, ratings, tabs, choose, compare, comparing, fail }: HeadProps): HTMLElement {
  const chat = chatUrl(run.threadId);
  return h(
    "header",
    { class: "head" },
    h("p", { class: "asked" }, run.question || "(no question)"),
    h(
      "p",
      { class: "quiet" },
      h("span", { class: `tag ${LOOKS[run.status]}` }, run.status),
      ` ${[modelOf(run), `agent ${run.agent}`].filter(Boolean).join(" · ")} · thread `,
      run.threadTitle ? h("span", { title: run.threadId }, `“${run.threadTitle}”`) : h("code", {}, run.threadId),
    ),
    run.error ? h("p", { class: "bad" }, run.error) : "",
    notesOf(run),
    runs.length > 1 ? chooserOf(run.id, runs, choose) : "",
    usageLine(usageOf(runs.length > 0 ? runs : [run])),
    feedbackView(ratings),
    h(
      "div",
      { class: "tabs" },
      tabs,
      h(
        "div",
        { class: "deeds" },
        chat ? h("a", { class: "button", href: chat }, "Open the chat") : "",
        h("button", { type: "button", class: "button", "aria-pressed": String(comparing), click: compare }, "Compare"),
        run.stored || run.redacted ? "" : reportLink(run.id, fail),
      ),
    ),
  );
}

const notesOf = ({ redacted, stored }: Detail) => [
  stored
    ? h(
        "p",
        { class: "quiet" },
        "Rebuilt from the stored log: the prompt, the times of calls and how they were decided are not kept.",
      )
    : "",
  redacted
    ? h(
        "p",
        { class: "quiet" },
        "Prompts, arguments and results are left out: seeing them takes the permission inspector.",
      )
    : "",
];

function chooserOf(id: string, runs: readonly Summary[], choose: (id: string) => void): HTMLElement {
  return h(
    "div",
    { class: "chooser", role: "group", "aria-label": "Runs of this question" },
    runs.map((run, index) =>
      h(
        "button",
        { type: "button", class: "button", "aria-pressed": String(run.id === id), click: () => choose(run.id) },
        whatOf(run, index),
      ),
    ),
  );
}

const reportLink = (id: string, fail: (message: string) => void) =>
  h(
    "a",
    {
      class: "button",
      href: reportUrl(id),
      download: "report.yaml",
      title: "A file that `pageside demo --model script/report.yaml` plays",
      click: (event) => void download(event, id, fail),
    },
    "Download report",
  );

/** Downloads the report with the operator's token. Without one the link does. */
async function download(event: Event, id: string, fail: (message: string) => void): Promise<void> {
  if (typedToken() === undefined) return;
  event.preventDefault();
  try {
    const url = URL.createObjectURL(await getReport(id));
    h("a", { href: url, download: "report.yaml" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  } catch (error) {
    if (!(error instanceof SignInNeeded)) fail((error as Error).message);
  }
}
