import { useContext, useMemo } from "react";
import { LabelsContext } from "./useLabels.js";

/** The texts of those parts of messages that are loaded when they are needed. */
export interface MessageLabels {
  // Code
  wrapLines: string;

  // Turns
  /** Of reasoning that is over: "Thought for 3.4s". */
  reasonedFor: (duration: string) => string;
  copyDetails: string;
  /** A question that did not reach the server. */
  messageNotSent: string;
  /** Calls that are over, in one line. */
  callsDone: (count: number) => string;
  /** Of them some went wrong. */
  callsFailed: (count: number) => string;
  secondsLeft: (duration: string) => string;
  subagent: (name: string) => string;
  subagentFallback: string;

  // Approvals
  alwaysInThread: string;
  alwaysInThreadHint: (tool: string, hours: number) => string;
  alwaysInSession: string;
  alwaysInSessionHint: (tool: string) => string;
  mayNotBeUndone: string;
  denyWithReason: string;
  denyReason: string;

  // Cards
  moreOfCard: string;
  moreSuggestions: (count: number) => string;
  before: string;
  after: string;
  added: string;
  removed: string;
  changed: string;
  unchanged: (count: number) => string;
  noChanges: string;
  showTable: string;
  chartLabel: string;
  chartValue: string;
  chartShare: string;
  chartTotal: string;
  chartEmpty: string;
}

const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

export const messageEnglish: MessageLabels = {
  wrapLines: "Wrap long lines",

  reasonedFor: (duration) => `Thought for ${duration}`,
  copyDetails: "Copy details",
  messageNotSent: "Not sent",
  callsDone: (count) => plural(count, "step done", "steps done"),
  callsFailed: (count) => `${count} failed`,
  secondsLeft: (duration) => `about ${duration} left`,
  subagent: (name) => `Subagent: ${name}`,
  subagentFallback: "Subagent",

  alwaysInThread: "Always in this conversation",
  alwaysInThreadHint: (tool, hours) =>
    `Only for exactly this: ${tool}, with these details, for ${plural(hours, "hour", "hours")}.`,
  alwaysInSession: "Always in this tab",
  alwaysInSessionHint: (tool) => `Only for exactly this: ${tool}, with these details, until the tab is closed.`,
  mayNotBeUndone: "You may not be able to undo this.",
  denyWithReason: "Deny with a reason",
  denyReason: "Why not? (optional)",

  moreOfCard: "More",
  moreSuggestions: (count) => `${plural(count, "more suggestion", "more suggestions")}`,
  before: "Before",
  after: "After",
  added: "added",
  removed: "removed",
  changed: "changed",
  unchanged: (count) => `${count} unchanged`,
  noChanges: "Nothing changes.",
  showTable: "Show as a table",
  chartLabel: "Label",
  chartValue: "Value",
  chartShare: "Share",
  chartTotal: "Total",
  chartEmpty: "No data",
};

export const messageGerman: MessageLabels = {
  wrapLines: "Lange Zeilen umbrechen",

  reasonedFor: (duration) => `${duration} nachgedacht`,
  copyDetails: "Einzelheiten kopieren",
  messageNotSent: "Nicht gesendet",
  callsDone: (count) => plural(count, "Schritt erledigt", "Schritte erledigt"),
  callsFailed: (count) => `${count} fehlgeschlagen`,
  secondsLeft: (duration) => `noch etwa ${duration}`,
  subagent: (name) => `Unteragent: ${name}`,
  subagentFallback: "Unteragent",

  alwaysInThread: "In dieser Unterhaltung immer",
  alwaysInThreadHint: (tool, hours) =>
    `Nur für genau dies: ${tool}, mit diesen Angaben, für ${plural(hours, "Stunde", "Stunden")}.`,
  alwaysInSession: "In diesem Tab immer",
  alwaysInSessionHint: (tool) => `Nur für genau dies: ${tool}, mit diesen Angaben, bis der Tab geschlossen wird.`,
  mayNotBeUndone: "Das lässt sich vielleicht nicht rückgängig machen.",
  denyWithReason: "Mit Begründung ablehnen",
  denyReason: "Warum nicht? (freiwillig)",

  moreOfCard: "Mehr",
  moreSuggestions: (count) => plural(count, "weiterer Vorschlag", "weitere Vorschläge"),
  before: "Vorher",
  after: "Nachher",
  added: "neu",
  removed: "entfernt",
  changed: "geändert",
  unchanged: (count) => `${count} unverändert`,
  noChanges: "Nichts ändert sich.",
  showTable: "Als Tabelle zeigen",
  chartLabel: "Bezeichnung",
  chartValue: "Wert",
  chartShare: "Anteil",
  chartTotal: "Summe",
  chartEmpty: "Keine Daten",
};

/** Those texts, with what the host changed. */
export function useMessageLabels() {
  const labels = useContext(LabelsContext);
  return useMemo(() => ({ ...messageEnglish, ...labels }), [labels]);
}
