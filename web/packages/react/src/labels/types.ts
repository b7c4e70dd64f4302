/** Every text of the tray, by the part that shows it. A translation is an object of these types. */
import type { Effort, FeedbackReason } from "@pageside/core";
import type { AttachmentLimits, RejectReason } from "../tray/attachments/attachments.js";
import type { DictationProblem } from "../tray/composer/dictation.js";
import type { TrayLayout } from "../tray/frame/layout.js";

/**
 * Every text that the tray shows or speaks. Texts of its panels may be left out, and are then
 * English. A translation is an object of this type; to change a few texts, pass them to
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
  /** In place of `thinking` after 20 s in which nothing has come. */
  stillThinking: string;
  retrying: (waitSeconds: number | undefined) => string;
  loading: string;
  /** The button above the first turn of a long conversation. */
  earlier: string;
  earlierLoading: string;
  earlierLoaded: string;
  earlierFailed: string;
  reasoning: string;
  reasoningActive: string;
  stopped: string;
  /** An answer that broke off. */
  unfinished: string;
  /**
   * An answer that did not end by itself: at the model's limit on its length, by a filter, or at
   * the limit on steps.
   */
  cut: (reason: "length" | "filter" | "steps") => string;
  /** Goes on with such an answer. */
  continueAnswer: string;
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
  /** The title instead, of a question that did not reach the server. */
  messageNotSent: string;
  /** A sentence for an error code; `undefined` for codes that are better told by their message. */
  errorSentence: (code: string) => string | undefined;
  /** When the same can be tried again. */
  tryAgainAt: (at: Date, now: Date) => string;
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

/** The texts of those parts of messages that are loaded when they are needed. */
export interface MessageLabels {
  // Code
  wrapLines: string;
  openInInspector: string;

  // Turns
  /** Of reasoning that is over: "Thought for 3.4s". */
  reasonedFor: (duration: string) => string;
  copyDetails: string;
  /** When a question was asked: the time, and with the day in a sentence. */
  askedAt: (at: Date) => { time: string; long: string };
  feedbackReasons: string;
  feedbackReason: (reason: FeedbackReason) => string;
  /**
   * The page's Content-Security-Policy blocks a part of the assistant. `source` would allow it,
   * if known.
   */
  policyBlocks: (directive: string, source: string | undefined) => string;
  /** The policy of `pageside serve --pages` blocks something of the page. */
  policyOfServe: (directive: string, blocked: string) => string;
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
  /** The answer `always` on chosen terms, and the choice of these. */
  alwaysFor: string;
  alwaysInThreadFor: (hours: number) => string;
  alwaysEverywhereFor: (hours: number) => string;
  /** The choice to allow any value of an argument. */
  alwaysAnyValue: (argument: string) => string;
  /** The choice to allow a tool, whatever its arguments. */
  alwaysAnyDetails: string;
  alwaysInSession: string;
  alwaysInSessionHint: (tool: string) => string;
  mayNotBeUndone: string;
  denyWithReason: string;
  /** Above a question of an agent's own, in its words. */
  askedBy: (agent: string) => string;
  denyReason: string;

  // What an approval shows
  /** Before it can be approved. */
  seeAllFirst: string;
  /** Opens the rest of the arguments. */
  showMoreLines: (count: number) => string;
  /** Told to screen readers once everything was on screen. */
  allIsShown: string;

  // What a text hides
  /** An invisible character: "U+200B". */
  hiddenCharacter: (code: string) => string;
  hiddenRun: (kind: "marks" | "lines" | "spaces", count: number) => string;

  // Markdown
  /** Above a text that is too much for its markup. */
  shownPlain: string;
  showFormatted: string;
  formatting: string;

  // Cards
  moreOfCard: string;
  /** Under a card of a type that the page does not offer. */
  cardReadOnly: string;
  moreSuggestions: (count: number) => string;
  /** Between a suggestion's label and the other words that it sends. */
  sendsWords: string;
  before: string;
  after: string;
  added: string;
  removed: string;
  changed: string;
  unchanged: (count: number) => string;
  noChanges: string;
  showTable: string;
  /** The line under an answer that unfolds what it rests on. */
  sources: (count: number) => string;
  /** The name of a mark in a text, such as [1]. */
  sourceMark: (number: number, title: string) => string;
  chartLabel: string;
  chartValue: string;
  chartShare: string;
  chartTotal: string;
  chartEmpty: string;
}

/**
 * The texts of what is loaded with the message box. They travel with it; `labels` of the tray may
 * change them.
 */
export interface ComposerLabels {
  commands: string;
  mentions: string;
  addCommand: string;
  addMention: string;
  addFiles: string;
  noCommands: string;
  noMentions: string;
  /** Told to screen readers while the list changes. */
  optionCount: (count: number) => string;
  groupCustom: string;
  groupConversation: string;
  removeCommand: (command: string) => string;
  deleteHint: string;
  sentAlways: string;

  helpCommand: string;
  newCommand: string;
  stopCommand: string;
  exportCommand: string;
  help: string;
  helpCommands: string;
  helpTools: string;
  helpContext: string;
  helpNothing: string;
  close: string;

  saveCommand: (command: string) => string;
  saveAndSend: string;
  sendOnce: string;
  unknownCommand: (command: string) => string;
  sendAsText: string;

  context: string;
  selected: (text: string) => string;
  askAboutThis: string;
  removeContext: (label: string) => string;
  leaveOut: (label: string) => string;
  showContext: (label: string) => string;
  contextPreview: string;
  noValueNow: string;
  contextTokens: (count: number) => string;
  contextTokensHint: (count: number) => string;

  attachments: string;
  dropFiles: string;
  /** Kinds (`image`, `audio`, `video`, `text`) and formats (`PDF`) that a message takes. */
  fileKinds: (kinds: readonly string[]) => string;
  fileLimits: (limits: Required<AttachmentLimits>) => string;
  /** For screen readers, once the files of a message are read. */
  filesAttached: (count: number) => string;
  reading: (name: string) => string;
  removeFile: (name: string) => string;
  openImage: (name: string) => string;
  rejected: (name: string, reason: RejectReason, limit: number, kinds: readonly string[]) => string;
  bytes: (size: number) => string;

  /** The choice of the model that answers. */
  model: string;
  /** How hard it thinks. */
  effort: string;
  /** Without one the provider decides. */
  effortName: (effort: Effort | undefined) => string;

  dictate: string;
  /** The tooltip of the button: who may hear it. */
  dictateHint: string;
  /** For screen readers, while the browser listens. */
  listening: string;
  dictationProblem: (problem: DictationProblem) => string;

  moveUp: string;
  moveDown: string;
  steer: string;
}

/** A quota of the day, and how much of it is used. */
export interface QuotaUse {
  /** Whose it is: the user's own, or all of the organisation's. */
  scope: "user" | "tenant";
  unit: "tokens" | "dollars";
  used: number;
  limit: number;
  resetsAt: Date;
}

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
  /** How much of a quota of the day is used, or until when it is used up. */
  quota: (quota: QuotaUse, now: Date) => string;
  /** How many of the user's runs are live or wait, of how many at once. */
  runsAtOnce: (used: number, limit: number) => string;
  back: string;

  // The history
  searchThreads: string;
  activeThreads: string;
  archivedThreads: string;
  deletedThreads: string;
  pinned: string;
  today: string;
  yesterday: string;
  previousWeek: string;
  older: string;
  untitled: string;
  archive: string;
  unarchive: string;
  pin: string;
  unpin: string;
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
  threadPinned: (title: string) => string;
  threadUnpinned: (title: string) => string;
  copiedMarkdown: string;
  copyFailed: string;

  // Links to a conversation
  share: string;
  shareThread: string;
  /** Who can read it, and what. */
  shareHint: string;
  shareFor: string;
  /** How long a link works: 7, 30 or 365 days. */
  shareDays: (days: number) => string;
  createLink: string;
  newLink: string;
  copyLink: string;
  linkCopied: string;
  linkOnce: string;
  /** Why the server refuses a link, by the code of the error; `undefined` for other codes. */
  shareProblem: (code: string) => string | undefined;
  links: string;
  linkUntil: (until: Date) => string;
  linkCreated: (at: Date) => string;
  revokeLink: string;
  linkRevoked: string;
  linksHint: string;
  linksFailed: string;

  // A conversation that somebody shared
  sharedThread: string;
  sharedOn: (at: Date) => string;
  /**
   * Why it cannot be read: the link has ended, the reader is not signed in or may not read it, or
   * anything else.
   */
  sharedProblem: (why: "ended" | "signedOut" | "notPermitted" | "failed") => string;
  startOwn: string;

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
  serverTools: string;
  /** What a tool of the server does, by its effect. */
  toolEffect: (effect: "read" | "write" | "idempotent" | "destructive" | "exfil") => string;
  /** A tool that needs an approval each time. */
  asksFirst: string;
  /** A tool that is offered under a condition. */
  sometimes: string;
  serverInstructions: string;
  /**
   * A part of the server's prompt: agent, context, page, tab, subtab, payloads, payload, actions,
   * suggestions, scope. Some are of something: a page, a card.
   */
  promptPart: (kind: string, of: string) => string;
  sharedState: string;
  stateAccess: (access: "read" | "write") => string;
  whereDataGoes: string;
  sentTo: (host: string) => string;
  sentInside: string;
  modelScripted: string;
  /** When a model answers: see `ModelUse` of `@pageside/core/server`. */
  modelUse: (use: "now" | "reserve" | "choice" | "choice_reserve") => string;
  disclosureFailed: string;
  /** Tools that run without asking, because the user said so. */
  allowedTools: string;
  allowedInSession: string;
  allowedInThread: (until: Date) => string;
  allowedEverywhere: (until: Date) => string;
  /** Stands for an argument of an allowance that was left open. */
  anyValue: string;
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
  /** The heading of the list of sources at the end of an export. */
  exportedSources: string;
  exportedAt: (date: string) => string;
  toolCall: (tool: string) => string;
  attachment: (name: string) => string;

  // The list of keys
  shortcutText: (name: ShortcutName) => string;
  keysIn: (area: "page" | "tray" | "composer" | "history") => string;
}

/** A row in the list of keyboard shortcuts. */
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
  | "pin"
  | "delete"
  | "search"
  | "resize"
  | "title";
