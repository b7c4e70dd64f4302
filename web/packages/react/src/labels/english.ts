import type { ToolStatus } from "@pageside/core";
import { timeOf } from "./numbers.js";

const NOT_SET_UP = "This page is not set up to reach the assistant. Only whoever runs the server can change that.";

/** Error codes of the client, the server and the model call. */
const errors: Readonly<Record<string, string>> = {
  network: "The assistant can't be reached. Check your connection and try again.",
  interrupted: "The connection was lost before the answer was complete.",
  protocol: "The server's answer could not be read.",
  follow_up_limit: "The assistant called tools again and again without coming to an end.",
  unauthenticated: "You are signed out. Sign in and try again.",
  forbidden: "You are not allowed to use this assistant.",
  forbidden_proxy: NOT_SET_UP,
  forbidden_host: NOT_SET_UP,
  forbidden_origin: NOT_SET_UP,
  unknown_agent: "This assistant does not exist on the server.",
  not_found: "This conversation no longer exists.",
  thread_busy: "Another answer is still being written in this conversation.",
  rate_limited: "Too many requests. Wait a moment and try again.",
  too_many_runs: "Too much of yours is being answered at the moment. Wait for it, or stop some of it.",
  quota_exceeded: "Today's quota of the assistant is used up.",
  budget_exceeded: "The answer reached the limit on what one answer may use.",
  overloaded: "The server has too much to do at the moment. Try again in a moment.",
  search_timeout: "The search took too long. Try again in a moment.",
  too_large: "The message, with what is on the page, is too large to send.",
  timeout: "The answer took too long.",
  shutdown: "The server is restarting. Try again in a moment.",
  internal: "Something went wrong on the server.",
  llm_auth:
    "The model's provider refused the server's key. Only whoever runs the server can change that; then try again.",
  llm_rate_limited: "The model gets too many requests at the moment. Wait a moment and try again.",
  llm_overloaded: "The model is overloaded at the moment. Try again in a moment.",
  llm_context_full: "The conversation has become too long for the model. Start a new one.",
  llm_stalled: "The model stopped answering.",
  llm_network: "The server can't reach the model.",
  llm_empty: "The model gave no answer.",
  llm_filtered: "The provider's filter withheld the answer.",
  llm_output_limit: "The answer reached a limit before it was complete.",
  steps_exhausted: "The assistant used all of its steps and came to no answer.",
  tool_loop: "The assistant repeated itself without coming to an answer.",
  output_limit: "The answer became too long.",
  store_unavailable: "The answer could not be stored.",
};

const QUEUED = "Sent when the answer is complete";

const sendHints = {
  send: { keys: "Enter to send · Shift+Enter for a new line", touch: "Tap the arrow to send" },
  stop: { keys: "Esc to stop", touch: "Tap the square to stop" },
  queue: { keys: "Enter to send next · Esc to stop", touch: QUEUED },
};

const ends = {
  stopped: "Stopped",
  unfinished: "Not finished",
  length: "The answer was cut off: it reached the model's length limit.",
  filter: "The answer was cut off: the provider's filter stopped it.",
  steps: "The answer ends early: the steps for one question were used up.",
};

const responses = {
  running: "Assistant is responding",
  complete: "Response complete",
  stopped: "Response stopped",
};

const answers = {
  approved: "Approved",
  always: "Approved, always in this conversation",
  skipped: "Skipped",
  answered: "Answered",
};

const problems = {
  required: "This is required.",
  number: "This is not a valid number.",
  json: "This is not valid JSON.",
};

const toolStatuses: Readonly<Record<ToolStatus, string>> = {
  pending: "Preparing",
  executing: "Running",
  complete: "Done",
  failed: "Failed",
  "awaiting-approval": "Waiting for approval",
  denied: "Denied",
  cancelled: "Cancelled",
};

const earlier = {
  available: "Show earlier messages",
  loading: "Loading earlier messages",
  loaded: "Earlier messages were loaded",
  failed: "Earlier messages could not be loaded. Try again",
};

/** The English texts that are loaded at once. Other parts load theirs. */
export const english = {
  history: "History",
  menu: "More",
  title: "Assistant",
  openTray: (title: string) => `Open ${title}`,
  close: "Close",
  resizeTray: "Resize the assistant",
  newConversation: "New conversation",
  scriptedModel: "Scripted demo model",
  scriptedModelHint: "Answers come from rules in a file, not from a language model.",
  modelHint: (name: string) => `Answered by ${name}`,

  conversation: "Conversation",
  onThisPage: "On this page",
  /** With the number of tokens where they are counted. */
  whatItSees: (tokens?: number) =>
    `What the assistant sees${tokens === undefined ? "" : `: about ${tokens.toLocaleString("en")} tokens`}`,
  /** When something of the page goes along. */
  sentWhen: (always: boolean): string => (always ? "Always sent" : "Only when mentioned"),
  noValue: "It has no value at the moment, so it is not sent.",
  exportMarkdown: "Export to Markdown",
  you: "You",
  assistant: "Assistant",
  greeting: (page: string | undefined) => (page ? `Ask about ${page}` : "How can I help?"),
  greetingHint: "I can see what is on this page and work with it.",
  /** `still` after 20 s in which nothing has come. */
  thinking: (still: boolean): string => (still ? "Still thinking; Stop ends it" : "Thinking"),
  /** `wait` is in seconds. */
  retrying: (wait: number | undefined) => `The model did not answer, trying again${wait ? ` in ${wait} s` : ""}`,
  loading: "Loading the conversation",
  /** The button above the first turn of a long conversation. */
  earlier: (state: keyof typeof earlier) => earlier[state],
  /** What the model thinks, or has thought. */
  reasoning: (_active: boolean): string => "Reasoning",
  /**
   * An answer that did not end by itself: stopped by the user, broken off, at the model's limit on
   * its length, by a filter, or at the limit on steps.
   */
  cut: (reason: keyof typeof ends) => ends[reason],
  /** Goes on with such an answer. */
  continueAnswer: "Continue",
  newReply: "New reply",
  scrollToEnd: "Scroll to the end",
  copyMessage: "Copy message",
  copied: "Copied",

  /** Told to screen readers. */
  response: (state: keyof typeof responses) => responses[state],

  placeholder: "Ask anything about this page",
  messageInput: "Message",
  send: "Send message",
  stop: "Stop",
  /** Below the message box: how a message is sent, or an answer stopped. */
  sendHint: (does: keyof typeof sendHints, touch: boolean) => sendHints[does][touch ? "touch" : "keys"],

  toolStatus: (status: ToolStatus) => toolStatuses[status],
  toolProgress: (tool: string) => `Progress of ${tool}`,
  toolArguments: "Arguments",
  toolResult: "Result",
  toolError: "Error",

  accept: "Accept",
  accepted: "Accepted",
  dismissed: (card: string) => `${card}: dismissed`,
  undo: "Undo",
  restore: "Restore",
  /** While the card is still written. */
  cardGrowing: "being written",
  cardFailed: "A card could not be shown",
  /** A card, or arguments, without any values. */
  empty: "Empty",
  yesOrNo: (value: boolean): string => (value ? "Yes" : "No"),

  approvalTitle: (tool: string) => `Run “${tool}”?`,
  question: "Question",
  waitingForYou: "Waiting for you",
  interruptHint: "A new message skips what is still open here.",
  approve: "Approve",
  deny: "Deny",
  /** How a question was answered that waits for others. */
  given: (answer: keyof typeof answers) => answers[answer],
  edit: "Edit",
  cancel: "Cancel",
  change: "Change",
  skip: "Skip",
  answerIt: "Answer",
  yourAnswer: "Your answer",
  expiresIn: (minutes: number) => {
    if (minutes <= 0) return "Expired. It was not carried out.";
    return minutes < 90 ? `Expires in ${minutes} min` : `Expires in ${Math.round(minutes / 60)} hours`;
  },
  fieldProblem: (problem: "required" | "number" | "json") => problems[problem],

  suggested: "Suggestions",
  disconnected: (offline: boolean): string =>
    offline ? "Offline. The answer goes on when you are back." : "Connection lost, reconnecting",
  queue: "Waiting messages",
  queueHint: QUEUED,
  sendNow: "Send now",
  remove: "Remove",
  editMessage: "Edit message",

  branches: "Versions",
  branch: (by: -1 | 1): string => (by < 0 ? "Previous version" : "Next version"),
  regenerate: "Answer again",
  rating: (value: -1 | 1): string => (value < 0 ? "Bad answer" : "Good answer"),
  feedbackComment: "What was wrong? (optional)",
  sendFeedback: "Send",

  /** A part of the tray could not be loaded. */
  partFailed: "This part could not be loaded.",

  /** Seconds below one minute may have a tenth: `"3.4"`. */
  duration: (minutes: number, seconds: string) => (minutes > 0 ? `${minutes}m ${seconds}s` : `${seconds}s`),

  errorTitle: "The answer could not be completed",
  /** Of messages that did not reach the server, and of what is kept from the assistant. */
  notSent: "Not sent",
  /** When the same can be tried again. */
  tryAgainAt: (at: Date, now: Date) => `It works again from ${timeOf(at, now, "en")}.`,
  /** A sentence for an error code; `undefined` for codes that are better told by their message. */
  errorSentence: (code: string) => (Object.hasOwn(errors, code) ? errors[code] : undefined),
  retry: "Retry",
  details: "Details",
  dismiss: "Dismiss",

  code: "Code",
  copyCode: "Copy code",
  table: "Table",
  task: (done: boolean): string => (done ? "Done" : "To do"),
  showImage: (alt: string) => (alt ? `Load image: ${alt}` : "Load image"),
};

/** The texts that are loaded at once. */
export type EnglishLabels = typeof english;
