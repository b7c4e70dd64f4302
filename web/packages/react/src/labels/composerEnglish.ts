import { formatBytes, plural, rounded } from "./numbers.js";

const kindNames: Readonly<Record<string, string>> = { image: "images", audio: "audio", video: "video", text: "text" };
const fileKinds = (kinds: readonly string[]) => kinds.map((kind) => kindNames[kind] ?? kind).join(", ");

/** What may go with a message: files, and bytes of one and of all. */
export interface FileLimits {
  readonly maxFiles: number;
  readonly maxFileSize: number;
  readonly maxTotalSize: number;
}

function fileLimits({ maxFiles, maxFileSize, maxTotalSize }: FileLimits): string {
  const size = (bytes: number) => formatBytes(bytes, "en");
  const each = Math.min(maxFileSize, maxTotalSize);
  if (maxFiles === 1) return `1 file of at most ${size(each)}`;
  return `At most ${maxFiles} files, ${each < maxTotalSize ? `${size(each)} each, ` : ""}${size(maxTotalSize)} together`;
}

/** Why a file is left out, in a sentence. */
export type Rejected = (name: string, limit: number, kinds: readonly string[]) => string;

const rejected = {
  count: (name, limit) => `“${name}” was left out: at most ${plural(limit, "file goes", "files go")} with a message.`,
  size: (name, limit) => `“${name}” is too large: at most ${formatBytes(limit, "en")} a file.`,
  total: (name, limit) => `“${name}” was left out: files may have ${formatBytes(limit, "en")} together.`,
  empty: (name) => `“${name}” is empty.`,
  type: (name, _, kinds) => `“${name}” is of a kind that can't be sent here. Accepted: ${fileKinds(kinds)}.`,
  model: (name) => `“${name}” was left out: the model that answers here can't be shown such files.`,
  unreadable: (name) => `“${name}” could not be read.`,
} satisfies Record<string, Rejected>;

const dictationProblems = {
  blocked: "The browser does not let this page use the microphone. Allow it beside the address, then try again.",
  microphone: "No microphone was found.",
  network: "The browser could not reach its speech recognition.",
  language: "The browser does not recognise speech in this language.",
  nothing: "Nothing was heard.",
  failed: "The browser could not listen. Try again.",
};

const efforts = { low: "Low", medium: "Medium", high: "High" };

/** The texts of the message box in English. They are loaded with it. */
export const composerEnglish = {
  commands: "Commands",
  addMention: "Mention something on the page (@)",
  addFiles: "Add files",
  noCommands: "No such command. Add a text to save it as a shortcut.",
  noMentions: "Nothing to mention here. The assistant sees this page already.",
  /** Told to screen readers while the list changes. */
  optionCount: (count: number) => (count === 1 ? "1 result" : `${count} results`),
  groupCustom: "Your shortcuts",
  /** A shortcut, what goes with a message, or a file. */
  removeItem: (what: string) => `Remove ${what}`,
  deleteHint: "Del removes it",

  stopCommand: "Stop the answer",
  help: "What I can do here",
  helpTools: "I can",
  helpContext: "I can see",
  helpNothing: "This page offers nothing of its own. You can ask me anything.",

  saveCommand: (command: string) => `Save ${command} as a shortcut for this prompt?`,
  saveAndSend: "Save and send",
  sendOnce: "Send once",
  unknownCommand: (command: string) => `There is no command ${command}.`,
  sendAsText: "Send as text",

  context: "Context of the message",
  selected: (text: string) => `Selected: ${text}`,
  askAboutThis: "Ask about this",
  leaveOut: (label: string) => `Don't send ${label}`,
  showContext: (label: string) => `Show what is sent: ${label}`,
  contextPreview: "This is sent",
  contextTokens: (count: number) =>
    `${rounded(count / (count < 1000 ? 1 : 1000), "en")}${count < 1000 ? "" : "k"} tokens`,

  attachments: "Files",
  dropFiles: "Drop files to add them",
  /** Kinds (`image`, `audio`, `video`, `text`) and formats (`PDF`) that a message takes. */
  fileKinds,
  fileLimits,
  /** For screen readers, once the files of a message are read. */
  filesAttached: (count: number) => `${plural(count, "file", "files")} attached`,
  reading: (name: string) => `Reading ${name}`,
  openImage: (name: string) => `Show ${name} large`,
  rejected: (name: string, reason: keyof typeof rejected, limit: number, kinds: readonly string[]) =>
    rejected[reason](name, limit, kinds),
  bytes: (size: number) => formatBytes(size, "en"),

  /** The choice of the model that answers. */
  model: "Model",
  /** How hard it thinks. */
  effort: "Effort",
  /** Without one the provider decides. */
  effortName: (effort: keyof typeof efforts | undefined) => (effort ? efforts[effort] : "Automatic"),

  dictate: "Dictate",
  /** The tooltip of the button: who may hear it. */
  dictateHint: "Dictate. Your browser may turn speech into text on its maker’s servers.",
  /** For screen readers, while the browser listens. */
  listening: "Listening",
  dictationProblem: (problem: keyof typeof dictationProblems) => dictationProblems[problem],

  move: (by: -1 | 1): string => (by < 0 ? "Move up" : "Move down"),
  steer: "Stop the answer and send now",
};

/** The texts of the message box; `labels` of the tray may change them. */
export type ComposerLabels = typeof composerEnglish;
