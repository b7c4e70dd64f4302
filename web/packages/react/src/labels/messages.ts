import { useContext, useMemo } from "react";
import { clockTime, dateAndTime, plural } from "./numbers.js";
import type { MessageLabels, TrayLabels } from "./types.js";
import { LabelsContext } from "./useLabels.js";

export const messageEnglish: MessageLabels = {
  wrapLines: "Wrap long lines",
  openInInspector: "Open in the inspector",

  reasonedFor: (duration) => `Thought for ${duration}`,
  copyDetails: "Copy details",
  askedAt: (at) => ({ time: clockTime(at, "en"), long: `Asked on ${dateAndTime(at, "en")}` }),
  feedbackReasons: "What was wrong",
  feedbackReason: (reason) =>
    ({
      incorrect: "Incorrect",
      incomplete: "Incomplete",
      irrelevant: "Not what I asked",
      too_long: "Too long",
      unsafe: "Unsafe",
    })[reason],
  policyBlocks: (directive, source) =>
    `This page's Content-Security-Policy blocks a part of the assistant: ${source ? `add ${source} to ${directive}` : `see ${directive}`}.`,
  policyOfServe: (directive, blocked) =>
    `“pageside serve --pages” blocks ${blocked} on this page (${directive}). Serve the page yourself to set another policy.`,
  callsDone: (count) => plural(count, "step done", "steps done"),
  callsFailed: (count) => `${count} failed`,
  secondsLeft: (duration) => `about ${duration} left`,
  subagent: (name) => `Subagent: ${name}`,
  subagentFallback: "Subagent",

  alwaysFor: "Always",
  alwaysInThreadFor: (hours) => `In this conversation, ${hours} hours`,
  alwaysEverywhereFor: (hours) =>
    hours > 24 ? `In all conversations, ${hours / 24} days` : `In all conversations, ${hours} hours`,
  alwaysAnyValue: (argument) => `Any value of “${argument}”`,
  alwaysAnyDetails: "With any details",
  alwaysInThread: "Always in this conversation",
  alwaysInThreadHint: (tool, hours) =>
    `Only for exactly this: ${tool}, with these details, for ${plural(hours, "hour", "hours")}.`,
  alwaysInSession: "Always in this tab",
  alwaysInSessionHint: (tool) => `Only for exactly this: ${tool}, with these details, until the tab is closed.`,
  mayNotBeUndone: "You may not be able to undo this.",
  denyWithReason: "Deny with a reason",
  askedBy: (agent) => `The agent “${agent}” asks:`,
  denyReason: "Why not? (optional)",

  seeAllFirst: "You can approve once you have seen all of it.",
  showMoreLines: (count) => `Show ${plural(count, "more line", "more lines")}`,
  allIsShown: "All of it has been shown.",

  hiddenCharacter: (code) => `hidden character ${code}`,
  hiddenRun: (kind, count) =>
    kind === "lines"
      ? plural(count, "empty line", "empty lines")
      : kind === "spaces"
        ? plural(count, "space", "spaces")
        : plural(count, "more mark", "more marks"),

  shownPlain: "Parts of this answer are too much for their formatting and are shown as they were written.",
  showFormatted: "Show formatted",
  formatting: "Formatting…",

  moreOfCard: "More",
  cardReadOnly: "To read only: this page cannot apply it.",
  moreSuggestions: (count) => `${plural(count, "more suggestion", "more suggestions")}`,
  sendsWords: "Sends:",
  before: "Before",
  after: "After",
  added: "added",
  removed: "removed",
  changed: "changed",
  unchanged: (count) => `${count} unchanged`,
  noChanges: "Nothing changes.",
  showTable: "Show as a table",
  sources: (count) => plural(count, "source", "sources"),
  sourceMark: (number, title) => `Source ${number}: ${title}`,
  chartLabel: "Label",
  chartValue: "Value",
  chartShare: "Share",
  chartTotal: "Total",
  chartEmpty: "No data",
};

/** The texts of the parts of messages that are loaded later, and of the tray around them. */
export function useMessageLabels(): MessageLabels & TrayLabels {
  const labels = useContext(LabelsContext);
  return useMemo(() => ({ ...messageEnglish, ...labels }), [labels]);
}
