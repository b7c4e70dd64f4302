import { dayAndTime } from "./dayAndTime.js";
import { dollars } from "./dollars.js";
import type { PanelLabels, ShortcutName } from "../../labels/panels.js";
import type { TrayLayout } from "./layout.js";

const layouts: Readonly<Record<TrayLayout, string>> = {
  docked: "Neben der Seite",
  overlay: "Über dem Rand der Seite",
  popup: "Kleines Fenster",
  full: "Ganzes Fenster",
  inline: "In der Seite",
};

const keys: Readonly<Record<ShortcutName, string>> = {
  focus: "Assistenten öffnen, zum Eingabefeld gehen oder von dort aus schließen",
  pane: "Zwischen Unterhaltung und Eingabefeld wechseln",
  escape: "Schließen, was oben liegt, dann die Antwort anhalten, dann den Assistenten schließen",
  help: "Diese Liste zeigen",
  history: "Verlauf zeigen",
  sees: "Zeigen, was der Assistent sieht",
  send: "Senden",
  newLine: "Neue Zeile",
  recall: "Die Nachricht davor, im leeren Feld",
  commands: "Befehl wählen",
  mentions: "Etwas auf der Seite erwähnen",
  rows: "Durch die Unterhaltungen gehen",
  open: "Unterhaltung öffnen",
  rename: "Umbenennen",
  delete: "Löschen",
  search: "Zum Suchfeld gehen",
  resize: "Breite ändern, am Rand des Assistenten; Enter setzt zurück",
  title: "Unterhaltung umbenennen, in der Kopfzeile",
};

export const panelGerman: PanelLabels = {
  rename: "Umbenennen",
  titleInput: "Name der Unterhaltung",
  exportMarkdown: "Als Markdown exportieren",
  copyMarkdown: "Als Markdown kopieren",
  whatItSees: "Was der Assistent sieht",
  layout: "Anordnung",
  layoutName: (layout) => layouts[layout],
  shortcuts: "Tastenkürzel",
  deleteThread: "Unterhaltung löschen",
  usage: (input, cached, output, cost) =>
    `Tokens: ${input.toLocaleString("de")} gelesen${cached ? ` (${cached.toLocaleString("de")} aus dem Cache)` : ""} · ${output.toLocaleString("de")} geschrieben${cost === undefined ? "" : ` · ${dollars(cost, "de")}`}`,
  back: "Zurück",

  searchThreads: "Unterhaltungen durchsuchen",
  activeThreads: "Unterhaltungen",
  archivedThreads: "Archiviert",
  deletedThreads: "Gelöscht",
  today: "Heute",
  yesterday: "Gestern",
  previousWeek: "Vorige 7 Tage",
  earlier: "Früher",
  untitled: "Unterhaltung ohne Namen",
  archive: "Archivieren",
  unarchive: "Aus dem Archiv zurückholen",
  moreThreads: "Mehr zeigen",
  loadingThreads: "Unterhaltungen werden geladen",
  noThreads: (view) =>
    view === "active"
      ? "Noch keine Unterhaltungen."
      : view === "archived"
        ? "Nichts ist archiviert."
        : "Nichts wurde gelöscht.",
  nothingFound: (words) => `Nichts gefunden zu „${words}“.`,
  foundThreads: (count) => (count === 1 ? "1 Unterhaltung" : `${count} Unterhaltungen`),
  threadRunning: "wird gerade beantwortet",
  threadsFailed: "Die Unterhaltungen konnten nicht geladen werden.",
  changeFailed: "Das konnte nicht gespeichert werden.",
  threadDeleted: (title) => `„${title}“ gelöscht`,
  threadArchived: (title) => `„${title}“ archiviert`,
  threadUnarchived: (title) => `„${title}“ zurückgeholt`,
  copiedMarkdown: "Als Markdown kopiert",
  copyFailed: "Der Browser hat das Kopieren nicht erlaubt.",

  seesHint: "Das geht mit deiner nächsten Nachricht mit. Was du ausschaltest, bleibt hier.",
  place: "Wo du bist",
  noPlace: "Die Seite sagt es nicht.",
  placePart: (part) => ({ page: "Seite", tab: "Reiter", subtab: "Unterreiter", scope: "Betrifft" })[part],
  contextEntries: "Auf dieser Seite",
  noContext: "Von dieser Seite wird nichts mitgeteilt.",
  tools: "Was er hier tun kann",
  noTools: "Nichts auf dieser Seite; was der Server bietet, steht hier nicht.",
  instructions: "Anweisungen der Seite",
  allowedTools: "Läuft ohne Nachfrage",
  allowedInSession: "bis dieser Tab geschlossen wird",
  allowedInThread: (until) => `in dieser Unterhaltung bis ${dayAndTime(until, "de")}`,
  allowedFailed: "Was der Server ohne Nachfrage ausführt, konnte nicht gelesen oder geändert werden.",
  askAgain: "Wieder fragen",
  askAgainAbout: (tool) => `Wieder fragen: ${tool}`,
  tokens: (count) => (count === 1 ? "1 Token" : `${count.toLocaleString("de")} Tokens`),
  tokensOf: (count, budget) => `Etwa ${count.toLocaleString("de")} von ${budget.toLocaleString("de")} Tokens`,
  tokensInAll: (count) => `${count.toLocaleString("de")} mit Werkzeugen und Anweisungen`,
  overBudget: "Mehr, als hineinpasst: die längsten Werte werden gekürzt.",
  alwaysSent: "Immer gesendet",
  sentWhenMentioned: "Nur wenn erwähnt",
  notSent: "Nicht gesendet",
  noValue: "Es hat gerade keinen Wert und wird darum nicht gesendet.",
  fromSource: (source) => `von ${source}`,
  contextKind: (kind) => ({ page: "Seite", dynamic: "Daten", selection: "Auswahl", mention: "Erwähnung" })[kind],
  include: (what) => `Senden: ${what}`,
  schema: "Argumente",

  exportedAt: (date) => `Exportiert ${date}`,
  toolCall: (tool) => `Werkzeug: ${tool}`,
  attachment: (name) => `Anhang: ${name}`,

  shortcutText: (name) => keys[name],
  keysIn: (place) =>
    ({ page: "Überall auf der Seite", tray: "Im Assistenten", composer: "Im Eingabefeld", history: "Im Verlauf" })[
      place
    ],
};
