import type { MessageLabels } from "./messages.js";
import type { ComposerLabels } from "./composer.js";
import type { PanelLabels } from "./panels.js";

/**
 * Every text the tray shows or speaks. Those of its panels may be left out: they are English then.
 * A translation is an object of this type; a host that wants to change a few texts passes those to
 * `<AssistantTray labels={…}>`.
 */
export interface TrayLabels extends Partial<PanelLabels>, Partial<ComposerLabels>, Partial<MessageLabels> {
  // The frame
  history: string;
  menu: string;
  title: string;
  openTray: (title: string) => string;
  closeTray: string;
  resizeTray: string;
  newConversation: string;
  scriptedModel: string;
  scriptedModelHint: string;
  modelHint: (name: string) => string;

  // The conversation
  conversation: string;
  you: string;
  assistant: string;
  greeting: (page: string | undefined) => string;
  greetingHint: string;
  thinking: string;
  retrying: (waitSeconds: number | undefined) => string;
  loading: string;
  reasoning: string;
  reasoningActive: string;
  stopped: string;
  /** An answer that broke off. */
  unfinished: string;
  /** An answer that the provider ended: at the model's limit on its length, or by a filter. */
  cut: (reason: "length" | "filter") => string;
  newReply: string;
  scrollToEnd: string;
  copyMessage: string;
  copied: string;

  // What a screen reader is told
  responding: string;
  responseComplete: string;
  responseStopped: string;

  // The composer
  placeholder: string;
  messageInput: string;
  send: string;
  stop: string;
  sendHint: string;
  sendHintTouch: string;
  runningHint: string;
  runningHintTouch: string;

  // Tool calls
  toolPending: string;
  toolExecuting: string;
  toolComplete: string;
  toolFailed: string;
  toolAwaitingApproval: string;
  toolDenied: string;
  toolCancelled: string;
  toolProgress: (tool: string) => string;
  toolArguments: string;
  toolResult: string;
  toolError: string;
  toolNoArguments: string;

  // Payload cards
  accept: string;
  accepted: string;
  dismissed: (card: string) => string;
  undo: string;
  restore: string;
  /** While the card is still written. */
  cardGrowing: string;
  cardFailed: string;
  cardEmpty: string;
  yes: string;
  no: string;

  // Approvals and questions
  approvalTitle: (tool: string) => string;
  question: string;
  waitingForYou: string;
  interruptHint: string;
  approve: string;
  deny: string;
  approved: string;
  approvedAlways: string;
  edit: string;
  cancel: string;
  change: string;
  skip: string;
  skipped: string;
  answered: string;
  answerIt: string;
  yourAnswer: string;
  expired: string;
  expiresIn: (minutes: number) => string;
  fieldProblem: (problem: "required" | "number" | "json") => string;

  // Suggestions, connection, queue
  suggested: string;
  reconnecting: string;
  offline: string;
  tryAgain: string;
  queue: string;
  queueHint: string;
  queueHeld: string;
  sendNow: string;
  remove: string;
  editMessage: string;
  queueMessageHint: string;

  // Going back on messages
  branches: string;
  previousBranch: string;
  nextBranch: string;
  branchOf: (number: number, count: number) => string;
  regenerate: string;
  goodAnswer: string;
  badAnswer: string;
  feedbackComment: string;
  sendFeedback: string;

  /** A part of the tray could not be loaded. */
  partFailed: string;

  seconds: (value: string) => string;
  minutes: (minutes: number, seconds: number) => string;

  // Errors
  errorTitle: string;
  /** A sentence for an error code; `undefined` for codes that are better told by their message. */
  errorSentence: (code: string) => string | undefined;
  retry: string;
  details: string;
  dismiss: string;

  // Markdown
  code: string;
  copyCode: string;
  table: string;
  taskDone: string;
  taskOpen: string;
  showImage: (alt: string) => string;
}

/** Codes of the client, the server and the model call. */
const errors: Readonly<Record<string, string>> = {
  network: "The assistant can't be reached. Check your connection and try again.",
  interrupted: "The connection was lost before the answer was complete.",
  protocol: "The server's answer could not be read.",
  follow_up_limit: "The assistant called tools again and again without coming to an end.",
  unauthenticated: "You are signed out. Sign in and try again.",
  forbidden: "You are not allowed to use this assistant.",
  unknown_agent: "This assistant does not exist on the server.",
  not_found: "This conversation no longer exists.",
  thread_busy: "Another answer is still being written in this conversation.",
  rate_limited: "Too many requests. Wait a moment and try again.",
  too_large: "The message, with what is on the page, is too large to send.",
  timeout: "The answer took too long.",
  shutdown: "The server is restarting. Try again in a moment.",
  internal: "Something went wrong on the server.",
  llm_auth: "The server may not use the model: its key was refused.",
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

const problems = {
  required: "This is needed.",
  number: "This is not a number that fits.",
  json: "This is not valid JSON.",
};

export const english: TrayLabels = {
  history: "History",
  menu: "More",
  title: "Assistant",
  openTray: (title) => `Open ${title}`,
  closeTray: "Close",
  resizeTray: "Resize the assistant",
  newConversation: "New conversation",
  scriptedModel: "Scripted demo model",
  scriptedModelHint: "Answers come from rules in a file, not from a language model.",
  modelHint: (name) => `Answered by ${name}`,

  conversation: "Conversation",
  you: "You",
  assistant: "Assistant",
  greeting: (page) => (page ? `Ask about ${page}` : "How can I help?"),
  greetingHint: "I can see what is on this page and work with it.",
  thinking: "Thinking",
  retrying: (wait) => `The model did not answer, trying again${wait ? ` in ${wait} s` : ""}`,
  loading: "Loading the conversation",
  reasoning: "Reasoning",
  reasoningActive: "Reasoning",
  stopped: "Stopped",
  unfinished: "Not finished",
  cut: (reason) =>
    reason === "length"
      ? "The answer was cut off: the model reached its limit."
      : "The answer was cut off: the provider's filter stopped it.",
  newReply: "New reply",
  scrollToEnd: "Scroll to the end",
  copyMessage: "Copy message",
  copied: "Copied",

  responding: "Assistant is responding",
  responseComplete: "Response complete",
  responseStopped: "Response stopped",

  placeholder: "Ask anything about this page",
  messageInput: "Message",
  send: "Send message",
  stop: "Stop",
  sendHint: "Enter to send · Shift+Enter for a new line",
  sendHintTouch: "Tap the arrow to send",
  runningHint: "Esc to stop",
  runningHintTouch: "Tap the square to stop",

  toolPending: "Preparing",
  toolExecuting: "Running",
  toolComplete: "Done",
  toolFailed: "Failed",
  toolAwaitingApproval: "Waiting for approval",
  toolDenied: "Denied",
  toolCancelled: "Cancelled",
  toolProgress: (tool) => `Progress of ${tool}`,
  toolArguments: "Arguments",
  toolResult: "Result",
  toolError: "Error",
  toolNoArguments: "none",

  accept: "Accept",
  accepted: "Accepted",
  dismissed: (card) => `${card}: dismissed`,
  undo: "Undo",
  restore: "Restore",
  cardGrowing: "being written",
  cardFailed: "A card could not be shown",
  cardEmpty: "Nothing in it",
  yes: "Yes",
  no: "No",

  approvalTitle: (tool) => `Run “${tool}”?`,
  question: "Question",
  waitingForYou: "Waiting for you",
  interruptHint: "A new message skips what is still open here.",
  approve: "Approve",
  deny: "Deny",
  approved: "Approved",
  approvedAlways: "Approved, always in this conversation",
  edit: "Edit",
  cancel: "Cancel",
  change: "Change",
  skip: "Skip",
  skipped: "Skipped",
  answered: "Answered",
  answerIt: "Answer",
  yourAnswer: "Your answer",
  expired: "Expired. It was not carried out.",
  expiresIn: (minutes) => (minutes < 90 ? `Expires in ${minutes} min` : `Expires in ${Math.round(minutes / 60)} hours`),
  fieldProblem: (problem) => problems[problem],

  suggested: "Suggestions",
  reconnecting: "Connection lost, reconnecting",
  offline: "Offline. The answer goes on when you are back.",
  tryAgain: "Try again",
  queue: "Waiting messages",
  queueHint: "Sent when the answer is complete",
  queueHeld: "Not sent yet",
  sendNow: "Send now",
  remove: "Remove",
  editMessage: "Edit message",
  queueMessageHint: "Enter to send next · Esc to stop",

  branches: "Versions",
  previousBranch: "Previous version",
  nextBranch: "Next version",
  branchOf: (number, count) => `${number}/${count}`,
  regenerate: "Answer again",
  goodAnswer: "Good answer",
  badAnswer: "Bad answer",
  feedbackComment: "What was wrong? (optional)",
  sendFeedback: "Send",

  partFailed: "This part could not be loaded.",

  seconds: (value) => `${value}s`,
  minutes: (minutes, seconds) => `${minutes}m ${seconds}s`,

  errorTitle: "The answer could not be completed",
  errorSentence: (code) => (Object.hasOwn(errors, code) ? errors[code] : undefined),
  retry: "Retry",
  details: "Details",
  dismiss: "Dismiss",

  code: "Code",
  copyCode: "Copy code",
  table: "Table",
  taskDone: "Done",
  taskOpen: "To do",
  showImage: (alt) => (alt ? `Load image: ${alt}` : "Load image"),
};
