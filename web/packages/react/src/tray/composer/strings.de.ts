import type { RejectReason } from "../attachments/attachments.js";
import { formatBytes, type ComposerLabels } from "../../labels/composer.js";

const number = (value: number) => new Intl.NumberFormat("de", { maximumSignificantDigits: 2 }).format(value);

const rejected: Record<RejectReason, (name: string, limit: number) => string> = {
  count: (name, limit) => `„${name}“ wurde weggelassen: Zu einer Nachricht gehen höchstens ${limit} Dateien.`,
  size: (name, limit) => `„${name}“ ist zu groß: höchstens ${formatBytes(limit, "de")} je Datei.`,
  total: (name, limit) => `„${name}“ wurde weggelassen: zusammen höchstens ${formatBytes(limit, "de")}.`,
  empty: (name) => `„${name}“ ist leer.`,
  type: (name) => `„${name}“ ist von einer Art, die hier nicht gesendet werden kann.`,
  model: (name) => `„${name}“ wurde weggelassen: Das Modell, das hier antwortet, kann solche Dateien nicht ansehen.`,
  unreadable: (name) => `„${name}“ konnte nicht gelesen werden.`,
};

export const german: ComposerLabels = {
  commands: "Befehle",
  mentions: "Auf dieser Seite",
  addCommand: "Befehle (/)",
  addMention: "Etwas von der Seite erwähnen (@)",
  addFiles: "Dateien hinzufügen",
  noCommands: "Diesen Befehl gibt es nicht. Mit einem Text dahinter kann er eine Abkürzung werden.",
  noMentions: "Hier kann nichts erwähnt werden.",
  optionCount: (count) => (count === 1 ? "1 Treffer" : `${count} Treffer`),
  groupCustom: "Deine Abkürzungen",
  groupConversation: "Unterhaltung",
  removeCommand: (command) => `${command} entfernen`,
  deleteHint: "Entf löscht ihn",
  sentAlways: "wird immer gesendet",

  helpCommand: "Was ich hier kann",
  newCommand: "Neue Unterhaltung beginnen",
  stopCommand: "Die Antwort anhalten",
  exportCommand: "Die Unterhaltung als Markdown sichern",
  help: "Was ich hier kann",
  helpCommands: "Befehle",
  helpTools: "Ich kann",
  helpContext: "Ich sehe",
  helpNothing: "Diese Seite bietet nichts Eigenes an. Du kannst mich alles fragen.",
  close: "Schließen",

  saveCommand: (command) => `${command} als Abkürzung für diesen Text sichern?`,
  saveAndSend: "Sichern und senden",
  sendOnce: "Einmal senden",
  unknownCommand: (command) => `Einen Befehl ${command} gibt es nicht.`,
  sendAsText: "Als Text senden",

  context: "Was mit der Nachricht geht",
  selected: (text) => `Ausgewählt: ${text}`,
  askAboutThis: "Dazu fragen",
  removeContext: (label) => `${label} entfernen`,
  leaveOut: (label) => `${label} nicht senden`,
  showContext: (label) => `Zeigen, was gesendet wird: ${label}`,
  contextPreview: "Das wird gesendet",
  noValueNow: "Nichts wird gesendet: Der Wert ist gerade nicht lesbar.",
  contextTokens: (count) => `${number(count / (count < 1000 ? 1 : 1000))}${count < 1000 ? "" : "k"} Tokens`,
  contextTokensHint: (count) => `Was der Assistent sieht: etwa ${new Intl.NumberFormat("de").format(count)} Tokens`,

  attachments: "Dateien",
  dropFiles: "Dateien hier ablegen",
  reading: (name) => `${name} wird gelesen`,
  removeFile: (name) => `${name} entfernen`,
  openImage: (name) => `${name} groß zeigen`,
  rejected: (name, reason, limit) => rejected[reason](name, limit),
  bytes: (size) => formatBytes(size, "de"),

  moveUp: "Nach oben",
  moveDown: "Nach unten",
  steer: "Antwort anhalten und jetzt senden",
};
