import { useMemo } from "react";
import type { AttachmentLimits, FileKind, RejectReason } from "../tray/attachments/attachments.js";
import type { DictationProblem } from "../tray/composer/dictation.js";
import { formatBytes, plural, rounded } from "./numbers.js";
import type { ComposerLabels, TrayLabels } from "./types.js";
import { useLabels } from "./useLabels.js";

const kindNames: Record<FileKind, string> = { image: "images", audio: "audio", video: "video", text: "text" };
const fileKinds = (kinds: readonly string[]) => kinds.map((kind) => kindNames[kind as FileKind] ?? kind).join(", ");

function fileLimits({ maxFiles, maxFileSize, maxTotalSize }: Required<AttachmentLimits>): string {
  const size = (bytes: number) => formatBytes(bytes, "en");
  const each = Math.min(maxFileSize, maxTotalSize);
  if (maxFiles === 1) return `1 file of at most ${size(each)}`;
  return `At most ${maxFiles} files, ${each < maxTotalSize ? `${size(each)} each, ` : ""}${size(maxTotalSize)} together`;
}

const rejected: Record<RejectReason, (name: string, limit: number, kinds: readonly string[]) => string> = {
  count: (name, limit) => `“${name}” was left out: at most ${plural(limit, "file goes", "files go")} with a message.`,
  size: (name, limit) => `“${name}” is too large: at most ${formatBytes(limit, "en")} a file.`,
  total: (name, limit) => `“${name}” was left out: files may have ${formatBytes(limit, "en")} together.`,
  empty: (name) => `“${name}” is empty.`,
  type: (name, _, kinds) => `“${name}” is of a kind that can't be sent here. Accepted: ${fileKinds(kinds)}.`,
  model: (name) => `“${name}” was left out: the model that answers here can't be shown such files.`,
  unreadable: (name) => `“${name}” could not be read.`,
};

const dictationProblems: Record<DictationProblem, string> = {
  blocked: "The browser does not let this page use the microphone. Allow it beside the address, then try again.",
  microphone: "No microphone was found.",
  network: "The browser could not reach its speech recognition.",
  language: "The browser does not recognise speech in this language.",
  nothing: "Nothing was heard.",
  failed: "The browser could not listen. Try again.",
};

/** The texts of the message box in English. They are loaded with it. */
export const composerEnglish: ComposerLabels = {
  commands: "Commands",
  mentions: "On this page",
  addCommand: "Commands (/)",
  addMention: "Mention something on the page (@)",
  addFiles: "Add files",
  noCommands: "No such command. Add a text to save it as a shortcut.",
  noMentions: "Nothing to mention here. The assistant sees this page already.",
  optionCount: (count) => (count === 1 ? "1 result" : `${count} results`),
  groupCustom: "Your shortcuts",
  groupConversation: "Conversation",
  removeCommand: (command) => `Remove ${command}`,
  deleteHint: "Del removes it",
  sentAlways: "always sent",

  helpCommand: "What I can do here",
  newCommand: "Start a new conversation",
  stopCommand: "Stop the answer",
  exportCommand: "Save the conversation as Markdown",
  help: "What I can do here",
  helpCommands: "Commands",
  helpTools: "I can",
  helpContext: "I can see",
  helpNothing: "This page offers nothing of its own. You can ask me anything.",
  close: "Close",

  saveCommand: (command) => `Save ${command} as a shortcut for this prompt?`,
  saveAndSend: "Save and send",
  sendOnce: "Send once",
  unknownCommand: (command) => `There is no command ${command}.`,
  sendAsText: "Send as text",

  context: "Context of the message",
  selected: (text) => `Selected: ${text}`,
  askAboutThis: "Ask about this",
  removeContext: (label) => `Remove ${label}`,
  leaveOut: (label) => `Don't send ${label}`,
  showContext: (label) => `Show what is sent: ${label}`,
  contextPreview: "This is sent",
  noValueNow: "Nothing is sent: the value can't be read now.",
  contextTokens: (count) => `${rounded(count / (count < 1000 ? 1 : 1000), "en")}${count < 1000 ? "" : "k"} tokens`,
  contextTokensHint: (count) => `What the assistant sees: about ${new Intl.NumberFormat("en").format(count)} tokens`,

  attachments: "Files",
  dropFiles: "Drop files to add them",
  fileKinds,
  fileLimits,
  filesAttached: (count) => `${plural(count, "file", "files")} attached`,
  reading: (name) => `Reading ${name}`,
  removeFile: (name) => `Remove ${name}`,
  openImage: (name) => `Show ${name} large`,
  rejected: (name, reason, limit, kinds) => rejected[reason](name, limit, kinds),
  bytes: (size) => formatBytes(size, "en"),

  model: "Model",
  modelWithEffort: (model, effort) => `${model}, ${effort} effort`,

  dictate: "Dictate",
  dictateHint: "Dictate. Your browser may turn speech into text on its maker’s servers.",
  listening: "Listening",
  dictationProblem: (problem) => dictationProblems[problem],

  moveUp: "Move up",
  moveDown: "Move down",
  steer: "Stop the answer and send now",
};

/** The texts of the message box and of the tray around it. */
export function useComposerLabels(): TrayLabels & ComposerLabels {
  const labels = useLabels();
  return useMemo(() => ({ ...composerEnglish, ...labels }), [labels]);
}
