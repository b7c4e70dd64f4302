import { date, dateAndTime, dayAndTime, dollars, timeOf } from "./numbers.js";

const layouts = {
  docked: "Beside the page",
  overlay: "Over the page's edge",
  popup: "Small window",
  full: "Whole window",
  inline: "In the page",
};

const keys = {
  focus: "Open the assistant, go to the message box, or close it from there",
  pane: "Go between conversation and message box",
  escape: "Close what is open on top, then stop the answer, then close the assistant",
  help: "Show this list",
  find: "Find in a long conversation",
  history: "Show the history",
  sees: "Show what the assistant sees",
  send: "Send",
  newLine: "New line",
  recall: "The message before, in an empty box",
  commands: "Choose a command",
  mentions: "Mention something on the page",
  rows: "Go through the conversations",
  open: "Open the conversation",
  rename: "Rename it",
  pin: "Pin or unpin it",
  delete: "Delete it",
  search: "Go to the search box",
  resize: "Resize, on the assistant's edge; Enter resets",
  title: "Rename the conversation, in the header",
};

const effects = {
  read: "reads",
  write: "changes something",
  idempotent: "changes something",
  destructive: "changes what cannot be undone",
  exfil: "sends something to others",
};

const kinds = {
  page: "Page",
  tab: "Tab",
  subtab: "Subtab",
  scope: "About",
  dynamic: "Live data",
  selection: "Selection",
  mention: "Mention",
};

const promptParts: Readonly<Record<string, string>> = {
  agent: "For every conversation",
  context: "How the page's data is read",
  page: "Page",
  tab: "Tab",
  subtab: "Subtab",
  payloads: "How cards are shown",
  payload: "Card",
  actions: "Buttons of the page",
  suggestions: "How it suggests",
  scope: "Saved for this place",
};

const shareProblems: Readonly<Record<string, string>> = {
  thread_busy: "An answer is still being written. Share the conversation when it is complete.",
  too_many_shares: "This conversation has too many links. Revoke one first.",
  too_large: "This conversation is too long to share.",
  not_permitted: "You are not permitted to share conversations.",
  sharing_unavailable: "Sharing is switched off on this server.",
};

const modelUses = {
  now: "answers now",
  reserve: "in reserve",
  choice: "can be chosen",
  choice_reserve: "in reserve for one that can be chosen",
};

const problems = {
  ended: "This link has expired or was revoked.",
  signedOut: "Sign in first to read this conversation.",
  notPermitted: "You are not permitted to read shared conversations.",
  failed: "The conversation could not be loaded.",
};

const views = { active: "Conversations", archived: "Archived", deleted: "Deleted" };

const ages = {
  pinned: "Pinned",
  today: "Today",
  yesterday: "Yesterday",
  previousWeek: "Previous 7 days",
  older: "Earlier",
};

const changes = {
  deleted: "deleted",
  archived: "archived",
  unarchived: "moved back",
  pinned: "pinned",
  unpinned: "unpinned",
};

/** A quota of the day, and how much of it is used. */
export interface QuotaUse {
  /** Whose it is: the user's own, or all of the organisation's. */
  scope: "user" | "tenant";
  unit: "tokens" | "dollars";
  used: number;
  limit: number;
  resetsAt: Date;
}

/** The texts of the panels in English. They are loaded with them. */
export const panelEnglish = {
  rename: "Rename",
  titleInput: "Name of the conversation",
  copyMarkdown: "Copy as Markdown",
  layout: "Layout",
  layoutName: (layout: keyof typeof layouts) => layouts[layout],
  shortcuts: "Keyboard shortcuts",
  deleteThread: "Delete conversation",
  /**
   * The tokens that the conversation used; of those that went in, `cached` came from the model's
   * cache. What it cost in US dollars, where that is known.
   */
  usage: (input: number, cached: number, output: number, cost?: number) =>
    `Tokens: ${input.toLocaleString("en")} in${cached ? ` (${cached.toLocaleString("en")} from cache)` : ""} · ${output.toLocaleString("en")} out${cost === undefined ? "" : ` · ${dollars(cost, "en")}`}`,
  /** How much of a quota of the day is used, or until when it is used up. */
  quota: ({ scope, unit, used, limit, resetsAt }: QuotaUse, now: Date) => {
    const whose = scope === "user" ? "Your" : "Your organisation's";
    const amount = (count: number) => (unit === "dollars" ? dollars(count, "en") : count.toLocaleString("en"));
    const all = unit === "dollars" ? amount(limit) : `${amount(limit)} tokens`;
    return used < limit
      ? `${whose} quota today: ${amount(used)} of ${all}`
      : `${whose} quota of ${all} a day is used up until ${timeOf(resetsAt, now, "en")}`;
  },
  /** How many of the user's runs are live or wait, of how many at once. */
  runsAtOnce: (used: number, limit: number) => `Being answered at the moment: ${used} of ${limit}`,
  back: "Back",

  searchThreads: "Search conversations",
  threadView: (view: keyof typeof views) => views[view],
  /** Above the conversations of an age, and above the pinned ones. */
  threadAge: (age: keyof typeof ages) => ages[age],
  untitled: "Untitled conversation",
  archive: (archived: boolean): string => (archived ? "Move back from the archive" : "Archive"),
  pin: (pinned: boolean): string => (pinned ? "Unpin" : "Pin"),
  moreThreads: "Show more",
  loadingThreads: "Loading conversations",
  noThreads: (view: "active" | "archived" | "deleted"): string =>
    view === "active" ? "No conversations yet." : view === "archived" ? "Nothing is archived." : "Nothing was deleted.",
  nothingFound: (words: string) => `Nothing found for “${words}”.`,
  foundThreads: (count: number) => (count === 1 ? "1 conversation" : `${count} conversations`),
  threadRunning: "being answered",
  changeFailed: "That could not be saved.",
  threadChanged: (title: string, change: keyof typeof changes) => `“${title}” ${changes[change]}`,
  copyFailed: "The browser did not allow copying.",

  share: "Share…",
  shareThread: "Share conversation",
  shareHint:
    "Everybody who is signed in here and has the link can read this conversation as it is now; later messages are not part of it.",
  shareFor: "The link works for",
  /** How long a link works: 7, 30 or 365 days. */
  shareDays: (days: number) => (days === 365 ? "1 year" : `${days} days`),
  createLink: "Create link",
  newLink: "New link",
  copyLink: "Copy link",
  linkOnce: "Copy it now: it is not shown again.",
  /** Why the server refuses a link, by the code of the error; `undefined` for other codes. */
  shareProblem: (code: string) => (Object.hasOwn(shareProblems, code) ? shareProblems[code] : undefined),
  links: "Links to this conversation",
  linkUntil: (until: Date) => `Works until ${date(until, "en")}`,
  linkCreated: (at: Date) => `created on ${dateAndTime(at, "en")}`,
  revokeLink: "Revoke",
  linkRevoked: "Link revoked",
  linksHint: "A revoked link stops working at once and cannot be restored.",

  sharedThread: "Shared conversation",
  sharedOn: (at: Date) => `Shared on ${date(at, "en")}, read only`,
  /**
   * Why it cannot be read: the link has ended, the reader is not signed in or may not read it, or
   * anything else.
   */
  sharedProblem: (why: "ended" | "signedOut" | "notPermitted" | "failed") => problems[why],
  startOwn: "Start your own conversation",

  seesHint: "This goes along with your next message. What you switch off stays here.",
  place: "Where you are",
  noPlace: "The page does not say.",
  /** Of a place or of what a page shares. */
  kindName: (kind: keyof typeof kinds) => kinds[kind],
  tools: (where: "page" | "server"): string =>
    where === "page" ? "What it can do here" : "What it can do on the server",
  nothingHere: "Nothing on this page.",
  instructions: (by: "page" | "operator") => `Instructions of the ${by}`,
  /** What a tool of the server does, by its effect. */
  toolEffect: (effect: "read" | "write" | "idempotent" | "destructive" | "exfil") => effects[effect],
  /** A tool that needs an approval each time. */
  asksFirst: "asks you first",
  /** A tool that is offered under a condition. */
  sometimes: "when it is needed",
  /**
   * A part of the server's prompt: agent, context, page, tab, subtab, payloads, payload, actions,
   * suggestions, scope. Some are of something: a page, a card.
   */
  promptPart: (kind: string, of: string) => [promptParts[kind] ?? kind, of].filter(Boolean).join(": "),
  sharedState: "What the page and the assistant share",
  stateAccess: (access: "read" | "write"): string => (access === "write" ? "It reads and changes it" : "It reads it"),
  whereDataGoes: "Who answers, and where your data goes",
  /** Without a host it stays where the server is. */
  sentTo: (host?: string) => (host ? `goes to ${host}` : "stays in the operator's network"),
  modelScripted: "plays rules from a file; nothing leaves the server",
  /** When a model answers: see `ModelUse` of `@pageside/core/server`. */
  modelUse: (use: "now" | "reserve" | "choice" | "choice_reserve") => modelUses[use],
  disclosureFailed: "What the server adds could not be read.",
  /** Tools that run without asking, because the user said so. */
  allowedTools: "Runs without asking",
  /** Stands for an argument of an allowance that was left open. */
  anyValue: "any value",
  /** Without a day until the tab is closed. */
  allowedUntil: (until?: Date, scope?: "thread" | "user") =>
    until
      ? `in ${scope === "user" ? "all conversations" : "this conversation"} until ${dayAndTime(until, "en")}`
      : "until this tab is closed",
  allowedFailed: "What the server lets run without asking could not be read or changed.",
  askAgain: (tool?: string) => (tool ? `Ask again: ${tool}` : "Ask again"),
  tokens: (count: number) => (count === 1 ? "1 token" : `${count.toLocaleString("en")} tokens`),
  tokensOf: (count: number, budget: number) =>
    `About ${count.toLocaleString("en")} of ${budget.toLocaleString("en")} tokens`,
  tokensInAll: (count: number) => `${count.toLocaleString("en")} with tools and instructions`,
  overBudget: "More than fits: the longest values are shortened.",
  fromSource: (source: string) => `from ${source}`,
  include: (what: string) => `Send: ${what}`,

  /** The heading of the list of sources at the end of an export. */
  exportedSources: "Sources",
  exportedAt: (date: string) => `Exported ${date}`,
  toolCall: (tool: string) => `Tool: ${tool}`,
  attachment: (name: string) => `Attachment: ${name}`,

  shortcutText: (name: ShortcutName) => keys[name],
  keysIn: (area: "page" | "tray" | "composer" | "history") =>
    ({
      page: "Anywhere on the page",
      tray: "In the assistant",
      composer: "In the message box",
      history: "In the history",
    })[area],
};

/**
 * The texts of what is loaded when it is opened: menu, history, what the assistant sees, the list
 * of keys.
 */
export type PanelLabels = typeof panelEnglish;

/** A row in the list of keyboard shortcuts. */
export type ShortcutName = keyof typeof keys;
