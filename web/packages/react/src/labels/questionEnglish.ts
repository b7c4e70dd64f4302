import { plural } from "./numbers.js";

/** The texts of the cards that ask, in English. */
export const questionEnglish = {
  /** The answer `always` on chosen terms, and the choice of these. */
  alwaysFor: "Always",
  alwaysWithin: (scope: "thread" | "user", hours: number) =>
    scope === "thread"
      ? `In this conversation, ${hours} hours`
      : `In all conversations, ${hours > 24 ? `${hours / 24} days` : `${hours} hours`}`,
  /** The choice to allow any value of an argument, or a tool whatever its arguments. */
  alwaysAny: (argument?: string) => (argument ? `Any value of “${argument}”` : "With any details"),
  alwaysIn: (scope: "thread" | "session"): string =>
    scope === "thread" ? "Always in this conversation" : "Always in this tab",
  /** `hours` are those of a conversation; without them it holds for the tab. */
  alwaysHint: (tool: string, hours?: number) =>
    `Only for exactly this: ${tool}, with these details, ${hours === undefined ? "until the tab is closed" : `for ${plural(hours, "hour", "hours")}`}.`,
  /** Opens the ways to approve the same call for longer. */
  allowAlways: "Allow always",
  mayNotBeUndone: "You may not be able to undo this.",
  denyWithReason: "Deny with a reason",
  /** Above a question of an agent's own, in its words. */
  askedBy: (agent: string) => `The agent “${agent}” asks:`,
  denyReason: "Why not? (optional)",

  /** Before it can be approved. */
  seeAllFirst: "You can approve once you have seen all of it.",
  /** Opens the rest of the arguments. */
  showMoreLines: (count: number) => `Show ${plural(count, "more line", "more lines")}`,
  /** Told to screen readers once everything was on screen. */
  allIsShown: "All of it has been shown.",
};

/** The texts of the cards that ask. */
export type QuestionLabels = typeof questionEnglish;
