import type {
  ContextEntryInfo,
  InstructionEntry,
  PagesideClient,
  ThreadAllowance,
  ThreadSummary,
  ToolEntryInfo,
} from "@pageside/core";
import type { FakeClient } from "./fakeClient.js";

const DAY = 86_400_000;
const titles: [daysAgo: number, title: string][] = [
  [0, "Pages with the most 404s"],
  [0, "Why are there so few results?"],
  [1, "Scanner from 10.0.0.7: what did it ask for, and is it still there?"],
  [3, "Traffic by hour"],
  [5, "Slowest requests of the checkout"],
  [20, "Field names of the access log"],
  [400, "الصفحات المفقودة"],
];

export const threads = (): ThreadSummary[] =>
  titles
    .map(([daysAgo, title], index) => {
      const at = new Date(Date.now() - daysAgo * DAY - index * 1000).toISOString();
      const pinned = index === 3;
      return {
        id: index === 0 ? "t1" : `other-${index}`,
        title,
        createdAt: at,
        updatedAt: at,
        archived: false,
        pinned,
      };
    })
    .sort((a, b) => Number(b.pinned) - Number(a.pinned));

const rows = JSON.stringify(
  Array.from({ length: 24 }, (_, row) => ({ row, request: `/page-${row}`, status: row % 3 ? 200 : 404 })),
);
const entries: (ContextEntryInfo & { text?: string })[] = [
  {
    id: "page",
    description: "The page and its address",
    kind: "page",
    auto: true,
    source: "usePageContext",
    text: '{"path":"/discover","query":"source=access_log | where status = 404"}',
  },
  {
    id: "rows",
    description: "The rows that the user has on screen",
    label: "@results",
    kind: "dynamic",
    auto: true,
    source: "Results table",
    text: rows,
  },
  {
    id: "selected",
    description: "The rows that the user has selected",
    label: "@selected-rows",
    kind: "selection",
    auto: false,
    text: "[]",
  },
  { id: "chart", description: "The histogram above the table", kind: "dynamic", auto: true, source: "Histogram" },
];
const tools: ToolEntryInfo[] = [
  {
    name: "set_query",
    description: "Writes a PPL query into the query bar and runs it.",
    parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
    source: "Query bar",
  },
  { name: "set_time_range", description: "Sets the time range of the page.", parameters: { type: "object" } },
];
const allowances: ThreadAllowance[] = [
  {
    id: "alw1",
    scope: "thread",
    tool: "create_alert",
    args: { name: "5xx above one in a hundred", every: "5m", notify: ["ops@example.com", "lead@example.com"] },
    active: true,
    createdAt: new Date(Date.now() - DAY / 4).toISOString(),
    expiresAt: new Date(Date.now() + (DAY * 3) / 4).toISOString(),
  },
];
const instructions: InstructionEntry[] = [
  { id: "style", text: "Answer in short sentences. Name fields as they are written in the log.", source: "Discover" },
];

export type PanelName = "history" | "history-failed" | "history-empty" | "history-search" | "sees" | "sees-open" | "menu" | "shortcuts" | "rename" | "toast"; // prettier-ignore

/** A client with threads, and with a page that it sees. */
export function withPage(client: FakeClient, panel?: string): FakeClient {
  const off = new Set<string>(["context:chart"]);
  const listeners = new Set<() => void>();
  const list: PagesideClient["threads"]["list"] = ({ q } = {}) => {
    if (panel === "history-failed") return Promise.reject(new Error("offline"));
    if (panel === "history-empty") return Promise.resolve({ threads: [] });
    const found = threads().map((thread) =>
      q ? { ...thread, snippet: `…Most 404s of the pages come from ${q}s…` } : thread,
    );
    return Promise.resolve({ threads: found, next: q ? undefined : "next" });
  };
  return Object.assign(client, {
    threads: { ...client.threads, list, allowances: (of?: string) => Promise.resolve(of ? allowances : []) },
    getPlace: () => ({ page: "discover", tab: "results", scope: { index: "access_log" } }),
    getContextEntries: () => entries.map(({ text: _, ...info }) => info),
    getContext: (mentions: readonly string[] = []) =>
      entries.flatMap(({ id, description, auto, text }) =>
        text !== undefined && (mentions.includes(id) || (auto && !off.has(`context:${id}`)))
          ? [{ id, description, value: text }]
          : [],
      ),
    getToolEntries: () => tools,
    getInstructions: () => instructions,
    isIncluded: (kind: string, id: string) => !off.has(`${kind}:${id}`),
    setIncluded: (kind: string, id: string, included: boolean) => {
      off[included ? "delete" : "add"](`${kind}:${id}`);
      listeners.forEach((listener) => listener());
    },
    subscribePage: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
}

/** Opens it as a user would. */
export async function openPanel(panel: PanelName): Promise<void> {
  const button = (name: string) => document.querySelector<HTMLElement>(`.ps-tray button[aria-label="${name}"]`);
  const item = (name: string) =>
    [...document.querySelectorAll<HTMLElement>("[role^=menuitem]")].find(({ textContent }) => textContent === name);
  const [kind, part] = panel.split("-");
  if (kind === "history") {
    const field = () => document.querySelector<HTMLInputElement>(".ps-search input");
    // Where the tray fills a wide window, the history is beside the conversation.
    const way = await found(() => field() ?? button("History"));
    if (way !== field()) way.click();
    const search = await found(field);
    if (part === "search") {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!.set!.call(search, "page");
      search.dispatchEvent(new Event("input", { bubbles: true }));
    }
    return;
  }
  (await found(() => button("More"))).click();
  const choices = { sees: "What the assistant sees", shortcuts: "Keyboard shortcuts", rename: "Rename", toast: "Delete conversation" }; // prettier-ignore
  const first = await found(() => item("New conversation"));
  if (kind === "menu") return void first;
  (await found(() => item(choices[kind as keyof typeof choices]))).click();
  if (part === "open")
    for (const row of [await found(() => document.querySelector<HTMLElement>(".ps-seen-head > button"))]) row.click();
}

/** What a function finds, as soon as it finds it. */
export async function found<T>(find: () => T | null | undefined, what = "a panel"): Promise<T> {
  for (let attempt = 0; attempt < 3000; attempt++) {
    const element = find();
    if (element) return element;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`The page was looked through for ${what} in vain.`);
}
