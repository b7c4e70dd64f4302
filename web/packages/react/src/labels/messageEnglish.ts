import { clockTime, dateAndTime, plural } from "./numbers.js";
import type { QuestionLabels } from "./questionEnglish.js";

const feedbackReasons = {
  incorrect: "Incorrect",
  incomplete: "Incomplete",
  irrelevant: "Not what I asked",
  too_long: "Too long",
  unsafe: "Unsafe",
};

const hiddenRuns = {
  marks: { one: "more mark", many: "more marks" },
  lines: { one: "empty line", many: "empty lines" },
  spaces: { one: "space", many: "spaces" },
};

const fieldChanges = { added: "added", removed: "removed", changed: "changed" };

/** The texts of those parts of messages that are loaded when they are needed, in English. */
export const messageEnglish = {
  wrapLines: "Wrap long lines",
  /** The box that looks through a whole thread, and its buttons. */
  find: "Find in the conversation",
  findNext: (back: boolean): string => (back ? "Previous match" : "Next match"),
  found: (at: number, of: number) => (of === 0 ? "No matches" : `${at} of ${of}`),
  openInInspector: "Open in the inspector",

  /** Of reasoning that is over: "Thought for 3.4s". */
  reasonedFor: (duration: string) => `Thought for ${duration}`,
  copyDetails: "Copy details",
  /** When a question was asked: the time, and with the day in a sentence. */
  askedAt: (at: Date) => ({ time: clockTime(at, "en"), long: `Asked on ${dateAndTime(at, "en")}` }),
  feedbackReason: (reason: keyof typeof feedbackReasons) => feedbackReasons[reason],
  /** Calls that are over, in one line. */
  callsDone: (count: number) => plural(count, "step done", "steps done"),
  /** Of them some went wrong. */
  callsFailed: (count: number) => `${count} failed`,
  secondsLeft: (duration: string) => `about ${duration} left`,
  subagent: "Subagent",

  /** What a text hides: an invisible character ("U+200B"), or how many of something. */
  hidden: (kind: "character" | keyof typeof hiddenRuns, what: string | number) => {
    if (kind === "character") return `hidden character ${what}`;
    const { one, many } = hiddenRuns[kind];
    return plural(Number(what), one, many);
  },

  /** Above a text that is too much for its markup. */
  shownPlain: "Parts of this answer are too much for their formatting and are shown as they were written.",

  /** Under a card of a type that the page does not offer. */
  cardReadOnly: "To read only: this page cannot apply it.",
  moreSuggestions: (count: number) => `${plural(count, "more suggestion", "more suggestions")}`,
  /** Between a suggestion's label and the other words that it sends. */
  sendsWords: "Sends:",
  before: "Before",
  after: "After",
  /** What became of a field. */
  fieldChange: (change: keyof typeof fieldChanges) => fieldChanges[change],
  unchanged: (count: number) => `${count} unchanged`,
  noChanges: "Nothing changes.",
  showTable: "Show as a table",
  /** The line under an answer that unfolds what it rests on. */
  sources: (count: number) => plural(count, "source", "sources"),
  /** The name of a mark in a text, such as [1]. */
  sourceMark: (number: number, title: string) => `Source ${number}: ${title}`,
  chartLabel: "Label",
  chartValue: "Value",
  chartEmpty: "No data",
};

/** The texts of those parts of messages that are loaded later. */
export type MessageLabels = typeof messageEnglish & QuestionLabels;
