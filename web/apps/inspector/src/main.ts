/** The inspector: the list of runs on one side, what one of them did on the other. */
import "./inspector.css";
import { auditView } from "./audit.ts";
import { getEvents, getReport, getRun, listRuns, NotFound, reportUrl, type Detail, type Summary } from "./api.ts";
import { costOf, usageLine } from "./cost.ts";
import { clock, counted, duration, fill, h, number } from "./dom.ts";
import { placeView } from "./place.ts";
import { promptView } from "./prompt.ts";
import { eventsView } from "./replay.ts";
import { keepToken, SignInNeeded, typedToken, whenRefused } from "./session.ts";
import { signInView } from "./signin.ts";
import { timelineView } from "./timeline.ts";

const TABS = ["Timeline", "Prompt", "Events", "Place"] as const;
type Tab = (typeof TABS)[number];

const PAUSE = 1500;
/** The address of the audit log's page. */
const AUDIT = "#/audit";

let runs: Summary[] = [];
let shownList = "";
let chosen = runInHash();
let tab: Tab = "Timeline";
let shownDetail = "";

const list = h("nav", { class: "runs", "aria-label": "Runs" });
const notice = h("p", { class: "bad", role: "alert", hidden: true });
const detail = h("main", { class: "detail", tabindex: "-1" });

const columns = h("div", { class: "columns" }, list, detail);
const about = h("span", { class: "quiet" }, "the newest runs since the server was started");
const auditLink = h("a", { class: "button", href: AUDIT }, "Audit log");
const signOut = h("button", { type: "button", hidden: true, click: leave }, "Sign out");
let audit: HTMLElement | undefined;
let signIn: HTMLElement | undefined;

/** Shows the audit log in the place of the runs, or the runs again. */
function showPage(): void {
  const wanted = location.hash === AUDIT;
  if (wanted === (audit !== undefined)) return;
  audit?.remove();
  audit = wanted ? auditView() : undefined;
  if (audit) document.body.append(audit);
  columns.hidden = wanted;
  about.textContent = wanted ? "who did what, and why it was allowed" : "the newest runs since the server was started";
  auditLink.textContent = wanted ? "Runs" : "Audit log";
  auditLink.setAttribute("href", wanted ? "#" : AUDIT);
}

/** Asks for a token, once, and loads the page again with it. */
function askForToken(): void {
  const refused = typedToken() !== undefined;
  keepToken(undefined);
  signOut.hidden = true;
  if (signIn) return;
  signIn = signInView(refused, () => {
    signIn?.remove();
    signIn = undefined;
    again();
  });
  document.querySelector(".top")!.after(signIn);
  signIn.querySelector("input")?.focus();
}

/** Loads what is shown again. */
function again(): void {
  signOut.hidden = typedToken() === undefined;
  shownList = shownDetail = "";
  audit?.remove();
  audit = undefined;
  showPage();
  if (!audit) void refresh();
}

function leave(): void {
  runs = [];
  fill(list);
  fill(detail);
  keepToken(undefined);
  again();
}

document.body.append(
  h("header", { class: "top" }, h("h1", {}, "Inspector"), about, auditLink, signOut, notice),
  columns,
);
whenRefused(askForToken);
signOut.hidden = typedToken() === undefined;
showPage();

/** The run that the address names. */
function runInHash(): string | undefined {
  return location.hash === AUDIT ? undefined : decodeURIComponent(location.hash.slice(1)) || undefined;
}

async function refresh(): Promise<void> {
  try {
    runs = await listRuns();
    notice.hidden = true;
  } catch (error) {
    if (error instanceof SignInNeeded) return; // the form says so
    if (error instanceof NotFound) {
      // started without --inspector: the audit log is all there is
      location.hash = AUDIT;
      auditLink.hidden = true;
      return;
    }
    notice.textContent = error instanceof TypeError ? "The server cannot be reached." : (error as Error).message;
    notice.hidden = false;
    return;
  }
  chosen ??= runs[0]?.id;
  const state = JSON.stringify([runs, chosen]);
  if (state !== shownList) {
    shownList = state;
    drawList();
  }
  const run = runs.find(({ id }) => id === chosen);
  const version = JSON.stringify([run, tab]);
  if (version !== shownDetail) await showDetail(version);
}

function drawList(): void {
  const focused = list.contains(document.activeElement);
  const items = runs.map((run) => {
    const took = run.endedAt ? Date.parse(run.endedAt) - Date.parse(run.beganAt) : Date.now() - Date.parse(run.beganAt);
    return h(
      "button",
      {
        type: "button",
        class: "run",
        "aria-current": run.id === chosen ? "true" : undefined,
        click: () => choose(run.id),
      },
      h("span", { class: `dot ${run.status}`, "aria-hidden": "true" }),
      h("span", { class: "question cut" }, run.question || "(no question)"),
      h(
        "span",
        { class: "quiet small" },
        [
          run.status === "done" ? [] : run.status,
          clock(run.beganAt),
          duration(took),
          counted(run.steps, "call"),
          `${number(run.usage.prompt)} tokens`,
          costOf(run.usage) || [],
        ]
          .flat(2)
          .join(" · "),
      ),
      h(
        "span",
        { class: "quiet small cut" },
        [run.place.page, run.place.tab, run.place.subtab].filter(Boolean).join(" / ") || "no page",
        ` · ${run.model}`,
      ),
    );
  });
  fill(
    list,
    ...(items.length > 0
      ? items
      : [h("p", { class: "quiet pad" }, "No run yet. Ask the assistant something: it shows up here.")]),
  );
  if (focused) list.querySelector<HTMLElement>("[aria-current]")?.focus();
}

function choose(id: string): void {
  chosen = id;
  history.replaceState(null, "", `#${encodeURIComponent(id)}`);
  void refresh();
}

async function showDetail(version: string): Promise<void> {
  if (!chosen) return fill(detail, h("p", { class: "quiet pad" }, "Choose a run."));
  const [id, name] = [chosen, tab];
  const overtaken = () => id !== chosen || name !== tab;
  const open = new Set([...detail.querySelectorAll("details")].flatMap((each, index) => (each.open ? [index] : [])));
  try {
    const run = await getRun(id);
    const body = await bodyOf(run);
    if (overtaken()) return;
    const sameRun = detail.dataset.shown === `${id} ${tab}`;
    const onTab = detail.querySelector('[role="tab"]:focus') !== null;
    fill(detail, headOf(run), h("div", { class: "body", role: "tabpanel", "aria-label": tab }, body));
    if (onTab) focusTab(); // also if it is drawn again while the user moves from tab to tab
    if (sameRun) detail.querySelectorAll("details").forEach((each, index) => open.has(index) && (each.open = true));
    detail.dataset.shown = `${id} ${tab}`;
    shownDetail = version;
  } catch (error) {
    if (overtaken()) return;
    fill(detail, h("p", { class: "bad pad", role: "alert" }, (error as Error).message));
    shownDetail = version;
  }
}

async function bodyOf(run: Detail): Promise<HTMLElement> {
  switch (tab) {
    case "Timeline":
      return timelineView(run);
    case "Prompt":
      return promptView(run);
    case "Events":
      return eventsView(await getEvents(run.id, run.status === "live"));
    case "Place":
      return placeView(run.agent, run.place);
  }
}

function headOf(run: Detail): HTMLElement {
  return h(
    "header",
    { class: "head" },
    h("p", { class: "asked" }, run.question || "(no question)"),
    h(
      "p",
      { class: "quiet" },
      h("span", { class: `tag ${LOOKS[run.status]}` }, run.status),
      ` ${run.model} · agent ${run.agent} · thread `,
      h("code", {}, run.threadId),
    ),
    run.error ? h("p", { class: "bad" }, run.error) : "",
    run.redacted
      ? h(
          "p",
          { class: "quiet" },
          "Prompts, arguments and results are left out: seeing them takes the permission inspector.",
        )
      : "",
    usageLine(run.usage),
    h(
      "div",
      { class: "tabs" },
      h("div", { role: "tablist", "aria-label": "What to show", keydown: moveTab }, TABS.map(tabButton)),
      h(
        "a",
        {
          class: "button",
          href: reportUrl(run.id),
          download: "report.yaml",
          title: "A file that `pageside demo --model script/report.yaml` plays",
          click: (event) => void download(event, run.id),
        },
        "Download report",
      ),
    ),
  );
}

/** Downloads the report with the operator's token. Without one the link does. */
async function download(event: Event, id: string): Promise<void> {
  if (typedToken() === undefined) return;
  event.preventDefault();
  try {
    const url = URL.createObjectURL(await getReport(id));
    h("a", { href: url, download: "report.yaml" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  } catch (error) {
    if (error instanceof SignInNeeded) return;
    notice.textContent = (error as Error).message;
    notice.hidden = false;
  }
}

const LOOKS: Record<Summary["status"], string> = {
  live: "warn",
  done: "good",
  failed: "danger",
  cancelled: "",
  interrupted: "danger",
};

const tabButton = (name: Tab) =>
  h(
    "button",
    {
      type: "button",
      role: "tab",
      "aria-selected": String(name === tab),
      tabindex: name === tab ? 0 : -1,
      click: () => void showTab(name),
    },
    name,
  );

async function showTab(name: Tab): Promise<void> {
  tab = name;
  await refresh();
  focusTab();
}

function focusTab(): void {
  detail.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus();
}

function moveTab(event: Event): void {
  const at = TABS.indexOf(tab);
  const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[(event as KeyboardEvent).key];
  if (next === undefined) return;
  event.preventDefault();
  void showTab(TABS.at(next % TABS.length)!);
}

addEventListener("hashchange", () => {
  showPage();
  const id = runInHash();
  if (id && id !== chosen) choose(id);
});

async function loop(): Promise<void> {
  for (;;) {
    if (document.visibilityState === "visible" && !audit && !signIn) await refresh();
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
void loop();
