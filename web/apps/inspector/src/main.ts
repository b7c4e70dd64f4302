/** The inspector: the list of runs on one side, what one of them did on the other. */
import "./inspector.css";
import "./answer.css";
import "./audit.css";
import { auditView } from "./audit.ts";
import { getEvents, getRun, listMessages, listRuns, listStored, NotFound, type Detail, type Summary } from "./api.ts";
import { compareView } from "./compare.ts";
import { fill, h } from "./dom.ts";
import { readRatings } from "./feedback.ts";
import { FilterForm, matches } from "./filter.ts";
import { groupRuns, questionOf } from "./groups.ts";
import { headOf } from "./head.ts";
import { compareHash, hashOf, keepOrigin, readHash } from "./link.ts";
import { drawList, tick } from "./list.ts";
import { placeView } from "./place.ts";
import { promptView } from "./prompt.ts";
import { eventsView } from "./replay.ts";
import { keepToken, SignInNeeded, typedToken, whenRefused } from "./session.ts";
import { signInView } from "./signin.ts";
import { merged, timelineView } from "./timeline.ts";

const TABS = ["Timeline", "Prompt", "Events", "Place"] as const;
type Tab = (typeof TABS)[number];

const PAUSE = 1500;
/** After how many refreshes the store is asked again: it has what no recorder sees. */
const STORED_EVERY = 20;
/** The address of the audit log's page. */
const AUDIT = "#/audit";

let runs: Summary[] = [];
let stored: Summary[] = [];
let refreshes = 0;
let shownList = "";
let chosen: string | undefined;
/** The run that the next choice is compared with. */
let first: string | undefined;
let pair: [string, string] | undefined;
let tab: Tab = "Timeline";
let shownDetail = "";

const list = h("nav", { class: "runs", "aria-label": "Runs" });
const find = new FilterForm(() => showList());
const notice = h("p", { class: "bad", role: "alert", hidden: true });
const detail = h("main", { class: "detail", tabindex: "-1" });

const columns = h("div", { class: "columns" }, h("div", { class: "side" }, find.element, list), detail);
const about = h("span", { class: "quiet" }, "the newest runs, by question");
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
  about.textContent = wanted ? "who did what, and why it was allowed" : "the newest runs, by question";
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
  refreshes = 0;
  showPage();
  if (!audit) void readAddress().then(refresh);
}

function leave(): void {
  runs = stored = [];
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

/** Shows what the address asks for. */
async function readAddress(): Promise<void> {
  if (location.hash === AUDIT) return;
  const wanted = readHash(location.hash);
  keepOrigin(wanted.from);
  pair = wanted.compare;
  if (wanted.run !== undefined) chosen = wanted.run;
  if (wanted.message) chosen = await runOf(wanted.message);
}

/** The run that made a message; of one that is not found, the thread's newest run. */
async function runOf({ threadId, messageId }: { threadId: string; messageId: string }): Promise<string | undefined> {
  const messages = await listMessages(threadId).catch(() => []);
  const found = messages.find(({ message }) => message.id === messageId) ?? messages.at(-1);
  return found?.runId;
}

async function refresh(): Promise<void> {
  try {
    if (refreshes++ % STORED_EVERY === 0) stored = await listStored();
    const recorded = await listRuns();
    const known = new Set(recorded.map(({ id }) => id));
    runs = [...recorded, ...stored.filter(({ id }) => !known.has(id))];
    notice.hidden = true;
  } catch (error) {
    refreshes = 0;
    if (error instanceof SignInNeeded) return; // the form says so
    if (error instanceof NotFound) {
      // started without --inspector: the audit log is all there is
      location.hash = AUDIT;
      auditLink.hidden = true;
      return;
    }
    fail(error instanceof TypeError ? "The server cannot be reached." : (error as Error).message);
    return;
  }
  chosen ??= groupRuns(runs)[0]?.questions[0]?.runs.at(-1)?.id;
  showList();
  tick(list);
  await showChosen();
}

function fail(message: string): void {
  notice.textContent = message;
  notice.hidden = false;
}

/** Draws the list if what it shows has changed. */
function showList(): void {
  find.offer(runs);
  const now = Date.now();
  const wanted = runs.filter((run) => matches(run, find.value, now));
  const state = JSON.stringify([wanted, chosen]);
  if (state === shownList) return;
  shownList = state;
  drawList(list, { runs: wanted, filtered: wanted.length < runs.length, chosen, choose });
}

/** The runs of the question that is shown, oldest first. */
const together = () => questionOf(groupRuns(runs), chosen)?.runs ?? [];

async function showChosen(): Promise<void> {
  if (pair) return showPair(pair);
  const version = JSON.stringify([chosen, together(), tab, first]);
  if (version !== shownDetail) await showDetail(version);
}

/** Shows two questions side by side, each with all its runs; or two runs of the same one. */
async function showPair([a, b]: [string, string]): Promise<void> {
  const version = JSON.stringify(["pair", a, b]);
  if (version === shownDetail) return;
  shownDetail = version;
  const groups = groupRuns(runs);
  const partsOf = (id: string) => questionOf(groups, id)?.runs ?? [];
  const ofOne = partsOf(a).some(({ id }) => id === b);
  try {
    const [one, other] = await Promise.all(ofOne ? [getRun(a), getRun(b)] : [getWhole(a, partsOf(a)), getWhole(b, partsOf(b))]); // prettier-ignore
    if (shownDetail !== version) return;
    const back = h("button", { type: "button", class: "button", click: () => choose(b) }, "Back to the run");
    fill(detail, h("div", { class: "body" }, back, compareView(one, other, ofOne ? "run" : "question")));
    delete detail.dataset.shown;
  } catch (error) {
    fill(detail, h("p", { class: "bad pad", role: "alert" }, (error as Error).message));
  }
}

/** All runs of a question as one. */
const getWhole = async (id: string, parts: readonly Summary[]) =>
  parts.length > 1 ? merged(await Promise.all(parts.map((part) => getRun(part.id)))) : getRun(id);

/** Shows a run, or compares it with the one that waits for another. */
function choose(id: string): void {
  const other = first;
  first = undefined;
  pair = other && other !== id ? [other, id] : undefined;
  chosen = id;
  history.replaceState(null, "", pair ? compareHash(...pair) : hashOf(id));
  void refresh();
}

/** Begins a comparison with the run that is shown, or gives it up. */
function beginCompare(): void {
  first = first === undefined ? chosen : undefined;
  void showChosen();
}

async function showDetail(version: string): Promise<void> {
  if (!chosen) return fill(detail, h("p", { class: "quiet pad" }, "Choose a run."));
  const [id, name] = [chosen, tab];
  const overtaken = () => id !== chosen || name !== tab;
  const open = new Set([...detail.querySelectorAll("details")].flatMap((each, index) => (each.open ? [index] : [])));
  try {
    const parts = together();
    const [run, ratings] = await Promise.all([getRun(id), ratingsFor(parts)]);
    const body = await bodyOf(run, parts);
    if (overtaken() || pair) return;
    const sameRun = detail.dataset.shown === `${id} ${tab}`;
    const onTab = detail.querySelector('[role="tab"]:focus') !== null;
    const tabs = h("div", { role: "tablist", "aria-label": "What to show", keydown: moveTab }, TABS.map(tabButton));
    const head = headOf({ run, runs: parts, ratings, tabs, choose, compare: beginCompare, comparing: first !== undefined, fail }); // prettier-ignore
    fill(
      detail,
      head,
      first === undefined ? "" : hint(),
      h("div", { class: "body", role: "tabpanel", "aria-label": tab }, body),
    );
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

const hint = () =>
  h("p", { class: "hint", role: "status" }, "Choose the question in the list that this one is compared with.");

/** The ratings of a question's answers. */
async function ratingsFor(parts: readonly Summary[]) {
  const [run] = parts;
  return run ? readRatings(run.threadId, parts.map(({ id }) => id)) : []; // prettier-ignore
}

async function bodyOf(run: Detail, parts: readonly Summary[]): Promise<HTMLElement> {
  switch (tab) {
    case "Timeline":
      return timelineView(parts.length > 1 ? await getWhole(run.id, parts) : run);
    case "Prompt":
      return promptView(run);
    case "Events":
      return eventsView(await getEvents(run.id, run.status === "live"));
    case "Place":
      return placeView(run.agent, run.place);
  }
}

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
  void readAddress().then(refresh);
});

async function loop(): Promise<void> {
  await readAddress();
  for (;;) {
    if (document.visibilityState === "visible" && !audit && !signIn) await refresh();
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
void loop();
