import { useContext, useMemo } from "react";
import { LabelsContext } from "./useLabels.js";
import { dayAndTime } from "../tray/frame/dayAndTime.js";
import { dollars } from "../tray/frame/dollars.js";
import type { TrayLayout } from "../tray/frame/layout.js";

/**
 * The texts of what is loaded when it is opened: menu, history, "what the assistant sees", the list
 * of keys.
 */
export interface PanelLabels {
  // The menu
  rename: string;
  titleInput: string;
  exportMarkdown: string;
  copyMarkdown: string;
  whatItSees: string;
  layout: string;
  layoutName: (layout: TrayLayout) => string;
  shortcuts: string;
  deleteThread: string;
  /**
   * The tokens that the conversation used; of those that went in, `cached` came from the model's
   * cache. What it cost in US dollars, where that is known.
   */
  usage: (input: number, cached: number, output: number, cost?: number) => string;
  back: string;

  // The history
  searchThreads: string;
  activeThreads: string;
  archivedThreads: string;
  deletedThreads: string;
  today: string;
  yesterday: string;
  previousWeek: string;
  earlier: string;
  untitled: string;
  archive: string;
  unarchive: string;
  moreThreads: string;
  loadingThreads: string;
  noThreads: (view: "active" | "archived" | "deleted") => string;
  nothingFound: (words: string) => string;
  foundThreads: (count: number) => string;
  threadRunning: string;
  threadsFailed: string;
  changeFailed: string;
  threadDeleted: (title: string) => string;
  threadArchived: (title: string) => string;
  threadUnarchived: (title: string) => string;
  copiedMarkdown: string;
  copyFailed: string;

  // What the assistant sees
  seesHint: string;
  place: string;
  noPlace: string;
  placePart: (part: "page" | "tab" | "subtab" | "scope") => string;
  contextEntries: string;
  noContext: string;
  tools: string;
  noTools: string;
  instructions: string;
  /** Tools that run without asking, because the user said so. */
  allowedTools: string;
  allowedInSession: string;
  allowedInThread: (until: Date) => string;
  allowedFailed: string;
  askAgain: string;
  askAgainAbout: (tool: string) => string;
  tokens: (count: number) => string;
  tokensOf: (count: number, budget: number) => string;
  tokensInAll: (count: number) => string;
  overBudget: string;
  alwaysSent: string;
  sentWhenMentioned: string;
  notSent: string;
  noValue: string;
  fromSource: (source: string) => string;
  contextKind: (kind: "page" | "dynamic" | "selection" | "mention") => string;
  include: (what: string) => string;
  schema: string;

  // Export
  exportedAt: (date: string) => string;
  toolCall: (tool: string) => string;
  attachment: (name: string) => string;

  // The list of keys
  shortcutText: (name: ShortcutName) => string;
  keysIn: (place: "page" | "tray" | "composer" | "history") => string;
}

export type ShortcutName =
  | "focus"
  | "pane"
  | "escape"
  | "help"
  | "history"
  | "sees"
  | "send"
  | "newLine"
  | "recall"
  | "commands"
  | "mentions"
  | "rows"
  | "open"
  | "rename"
  | "delete"
  | "search"
  | "resize"
  | "title";

const layouts: Readonly<Record<TrayLayout, string>> = {
  docked: "Beside the page",
  overlay: "Over the page's edge",
  popup: "Small window",
  full: "Whole window",
  inline: "In the page",
};

const keys: Readonly<Record<ShortcutName, string>> = {
  focus: "Open the assistant, go to the message box, or close it from there",
  pane: "Go between conversation and message box",
  escape: "Close what is open on top, then stop the answer, then close the assistant",
  help: "Show this list",
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
  delete: "Delete it",
  search: "Go to the search box",
  resize: "Resize, on the assistant's edge; Enter resets",
  title: "Rename the conversation, in the header",
};

export const panelEnglish: PanelLabels = {
  rename: "Rename",
  titleInput: "Name of the conversation",
  exportMarkdown: "Export to Markdown",
  copyMarkdown: "Copy as Markdown",
  whatItSees: "What the assistant sees",
  layout: "Layout",
  layoutName: (layout) => layouts[layout],
  shortcuts: "Keyboard shortcuts",
  deleteThread: "Delete conversation",
  usage: (input, cached, output, cost) =>
    `Tokens: ${input.toLocaleString("en")} in${cached ? ` (${cached.toLocaleString("en")} from cache)` : ""} · ${output.toLocaleString("en")} out${cost === undefined ? "" : ` · ${dollars(cost, "en")}`}`,
  back: "Back",

  searchThreads: "Search conversations",
  activeThreads: "Conversations",
  archivedThreads: "Archived",
  deletedThreads: "Deleted",
  today: "Today",
  yesterday: "Yesterday",
  previousWeek: "Previous 7 days",
  earlier: "Earlier",
  untitled: "Untitled conversation",
  archive: "Archive",
  unarchive: "Move back from the archive",
  moreThreads: "Show more",
  loadingThreads: "Loading conversations",
  noThreads: (view) =>
    view === "active" ? "No conversations yet." : view === "archived" ? "Nothing is archived." : "Nothing was deleted.",
  nothingFound: (words) => `Nothing found for “${words}”.`,
  foundThreads: (count) => (count === 1 ? "1 conversation" : `${count} conversations`),
  threadRunning: "being answered",
  threadsFailed: "The conversations could not be loaded.",
  changeFailed: "That could not be saved.",
  threadDeleted: (title) => `“${title}” deleted`,
  threadArchived: (title) => `“${title}” archived`,
  threadUnarchived: (title) => `“${title}” moved back`,
  copiedMarkdown: "Copied as Markdown",
  copyFailed: "The browser did not allow copying.",

  seesHint: "This goes along with your next message. What you switch off stays here.",
  place: "Where you are",
  noPlace: "The page does not say.",
  placePart: (part) => ({ page: "Page", tab: "Tab", subtab: "Subtab", scope: "About" })[part],
  contextEntries: "On this page",
  noContext: "Nothing on this page is shared.",
  tools: "What it can do here",
  noTools: "Nothing in this page; what the server offers is not listed.",
  instructions: "Instructions of the page",
  allowedTools: "Runs without asking",
  allowedInSession: "until this tab is closed",
  allowedInThread: (until) => `in this conversation until ${dayAndTime(until, "en")}`,
  allowedFailed: "What the server lets run without asking could not be read or changed.",
  askAgain: "Ask again",
  askAgainAbout: (tool) => `Ask again: ${tool}`,
  tokens: (count) => (count === 1 ? "1 token" : `${count.toLocaleString("en")} tokens`),
  tokensOf: (count, budget) => `About ${count.toLocaleString("en")} of ${budget.toLocaleString("en")} tokens`,
  tokensInAll: (count) => `${count.toLocaleString("en")} with tools and instructions`,
  overBudget: "More than fits: the longest values are shortened.",
  alwaysSent: "Always sent",
  sentWhenMentioned: "Only when mentioned",
  notSent: "Not sent",
  noValue: "It has no value at the moment, so it is not sent.",
  fromSource: (source) => `from ${source}`,
  contextKind: (kind) => ({ page: "Page", dynamic: "Live data", selection: "Selection", mention: "Mention" })[kind],
  include: (what) => `Send: ${what}`,
  schema: "Arguments",

  exportedAt: (date) => `Exported ${date}`,
  toolCall: (tool) => `Tool: ${tool}`,
  attachment: (name) => `Attachment: ${name}`,

  shortcutText: (name) => keys[name],
  keysIn: (place) =>
    ({
      page: "Anywhere on the page",
      tray: "In the assistant",
      composer: "In the message box",
      history: "In the history",
    })[place],
};

/** The texts of the panels, with what the host changed. */
export function usePanelLabels() {
  const labels = useContext(LabelsContext);
  return useMemo(() => ({ ...panelEnglish, ...labels }), [labels]);
}
