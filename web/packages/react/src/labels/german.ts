import { clockTime, date, dateAndTime, dayAndTime, dollars, formatBytes, plural, rounded, timeOf } from "./numbers.js";
import type { ComposerLabels, FileLimits, Rejected } from "./composerEnglish.js";
import type { MessageLabels } from "./messageEnglish.js";
import type { PanelLabels } from "./panelEnglish.js";
import type { TrayLabels } from "./types.js";

const NOT_SET_UP =
  "Diese Seite ist für den Assistenten nicht eingerichtet. Ändern kann das nur, wer den Server betreibt.";

const errors: Readonly<Record<string, string>> = {
  network: "Der Assistent ist nicht erreichbar. Prüfe die Verbindung und versuche es noch einmal.",
  interrupted: "Die Verbindung brach ab, bevor die Antwort vollständig war.",
  protocol: "Die Antwort des Servers war nicht lesbar.",
  follow_up_limit: "Der Assistent rief immer wieder Werkzeuge auf, ohne zu einem Ende zu kommen.",
  unauthenticated: "Du bist abgemeldet. Melde dich an und versuche es noch einmal.",
  forbidden: "Du darfst diesen Assistenten nicht benutzen.",
  forbidden_proxy: NOT_SET_UP,
  forbidden_host: NOT_SET_UP,
  forbidden_origin: NOT_SET_UP,
  unknown_agent: "Diesen Assistenten gibt es auf dem Server nicht.",
  not_found: "Diese Unterhaltung gibt es nicht mehr.",
  thread_busy: "In dieser Unterhaltung wird noch eine andere Antwort geschrieben.",
  rate_limited: "Zu viele Anfragen. Warte einen Moment und versuche es noch einmal.",
  too_many_runs: "Von dir wird gerade schon zu viel beantwortet. Warte darauf oder halte etwas davon an.",
  quota_exceeded: "Das heutige Kontingent des Assistenten ist aufgebraucht.",
  budget_exceeded: "Die Antwort hat die Grenze dessen erreicht, was eine Antwort verbrauchen darf.",
  overloaded: "Der Server hat gerade zu viel zu tun. Versuche es gleich noch einmal.",
  search_timeout: "Die Suche hat zu lange gedauert. Versuche es gleich noch einmal.",
  too_large: "Die Nachricht ist mit dem, was auf der Seite steht, zu groß zum Senden.",
  timeout: "Die Antwort hat zu lange gedauert.",
  shutdown: "Der Server startet neu. Versuche es gleich noch einmal.",
  internal: "Auf dem Server ist etwas schiefgegangen.",
  llm_auth:
    "Der Anbieter des Modells hat den Schlüssel des Servers abgelehnt. Das kann nur ändern, wer den Server betreibt; versuche es danach noch einmal.",
  llm_rate_limited: "Das Modell bekommt gerade zu viele Anfragen. Warte einen Moment und versuche es noch einmal.",
  llm_overloaded: "Das Modell ist gerade überlastet. Versuche es gleich noch einmal.",
  llm_context_full: "Die Unterhaltung ist für das Modell zu lang geworden. Beginne eine neue.",
  llm_stalled: "Das Modell hat aufgehört zu antworten.",
  llm_network: "Der Server erreicht das Modell nicht.",
  llm_empty: "Das Modell hat nicht geantwortet.",
  llm_filtered: "Der Filter des Anbieters hat die Antwort zurückgehalten.",
  llm_output_limit: "Die Antwort hat eine Grenze erreicht, bevor sie vollständig war.",
  steps_exhausted: "Der Assistent hat alle seine Schritte verbraucht, ohne zu einer Antwort zu kommen.",
  tool_loop: "Der Assistent hat sich wiederholt, ohne zu einer Antwort zu kommen.",
  output_limit: "Die Antwort wurde zu lang.",
  store_unavailable: "Die Antwort konnte nicht gespeichert werden.",
};

const QUEUED = "Wird gesendet, wenn die Antwort fertig ist";

const sendHints = {
  send: { keys: "Enter sendet · Umschalt+Enter: neue Zeile", touch: "Zum Senden auf den Pfeil tippen" },
  stop: { keys: "Esc hält an", touch: "Zum Anhalten auf das Quadrat tippen" },
  queue: { keys: "Enter sendet danach · Esc hält an", touch: QUEUED },
};

const problems = {
  required: "Das wird gebraucht.",
  number: "Das ist keine passende Zahl.",
  json: "Das ist kein gültiges JSON.",
};

const hiddenRuns = {
  marks: { one: "weiteres Beizeichen", many: "weitere Beizeichen" },
  lines: { one: "leere Zeile", many: "leere Zeilen" },
  spaces: { one: "Leerzeichen", many: "Leerzeichen" },
};

const messages: MessageLabels = {
  find: "In der Unterhaltung suchen",
  findNext: (back) => (back ? "Vorheriger Treffer" : "Nächster Treffer"),
  found: (at, of) => (of === 0 ? "Keine Treffer" : `${at} von ${of}`),
  wrapLines: "Lange Zeilen umbrechen",
  openInInspector: "Im Inspektor öffnen",
  feedbackReason: (reason) =>
    ({
      incorrect: "Falsch",
      incomplete: "Unvollständig",
      irrelevant: "Nicht meine Frage",
      too_long: "Zu lang",
      unsafe: "Bedenklich",
    })[reason],

  reasonedFor: (duration) => `${duration} nachgedacht`,
  copyDetails: "Einzelheiten kopieren",
  askedAt: (at) => ({ time: clockTime(at, "de"), long: `Gefragt am ${dateAndTime(at, "de")}` }),
  callsDone: (count) => plural(count, "Schritt erledigt", "Schritte erledigt"),
  callsFailed: (count) => `${count} fehlgeschlagen`,
  secondsLeft: (duration) => `noch etwa ${duration}`,
  subagent: "Unteragent",

  alwaysFor: "Immer",
  alwaysWithin: (scope, hours) =>
    scope === "thread"
      ? `In dieser Unterhaltung, ${hours} Stunden`
      : `In allen Unterhaltungen, ${hours > 24 ? `${hours / 24} Tage` : `${hours} Stunden`}`,
  alwaysAny: (argument) => (argument ? `„${argument}“ darf jeden Wert haben` : "Mit beliebigen Angaben"),
  alwaysIn: (scope) => (scope === "thread" ? "In dieser Unterhaltung immer" : "In diesem Tab immer"),
  alwaysHint: (tool, hours) =>
    `Nur für genau dies: ${tool}, mit diesen Angaben, ${hours === undefined ? "bis der Tab geschlossen wird" : `für ${plural(hours, "Stunde", "Stunden")}`}.`,
  allowAlways: "Immer erlauben",
  mayNotBeUndone: "Das lässt sich vielleicht nicht rückgängig machen.",
  denyWithReason: "Mit Begründung ablehnen",
  askedBy: (agent) => `Der Agent „${agent}“ fragt:`,
  denyReason: "Warum nicht? (freiwillig)",

  seeAllFirst: "Freigeben geht, sobald alles zu sehen war.",
  showMoreLines: (count) => `${plural(count, "weitere Zeile", "weitere Zeilen")} zeigen`,
  allIsShown: "Alles wurde gezeigt.",

  hidden: (kind, what) => {
    if (kind === "character") return `verborgenes Zeichen ${what}`;
    const { one, many } = hiddenRuns[kind];
    return plural(Number(what), one, many);
  },

  shownPlain: "Teile dieser Antwort sind zu viel für ihre Formatierung und stehen da, wie sie geschrieben wurden.",

  cardReadOnly: "Nur zum Lesen: Diese Seite kann es nicht übernehmen.",
  moreSuggestions: (count) => plural(count, "weiterer Vorschlag", "weitere Vorschläge"),
  sendsWords: "Sendet:",
  before: "Vorher",
  after: "Nachher",
  fieldChange: (change) => ({ added: "neu", removed: "entfernt", changed: "geändert" })[change],
  unchanged: (count) => `${count} unverändert`,
  noChanges: "Nichts ändert sich.",
  showTable: "Als Tabelle zeigen",
  sources: (count) => plural(count, "Quelle", "Quellen"),
  sourceMark: (number, title) => `Quelle ${number}: ${title}`,
  chartLabel: "Bezeichnung",
  chartValue: "Wert",
  chartEmpty: "Keine Daten",
};

const kindNames: Readonly<Record<string, string>> = { image: "Bilder", audio: "Ton", video: "Video", text: "Text" };
const fileKinds = (kinds: readonly string[]) => kinds.map((kind) => kindNames[kind] ?? kind).join(", ");

function fileLimits({ maxFiles, maxFileSize, maxTotalSize }: FileLimits): string {
  const size = (bytes: number) => formatBytes(bytes, "de");
  const each = Math.min(maxFileSize, maxTotalSize);
  if (maxFiles === 1) return `1 Datei, höchstens ${size(each)}`;
  return `Höchstens ${maxFiles} Dateien, ${each < maxTotalSize ? `je ${size(each)}, ` : ""}zusammen ${size(maxTotalSize)}`;
}

const rejected = {
  count: (name, limit) => `„${name}“ wurde weggelassen: höchstens ${plural(limit, "Datei", "Dateien")} je Nachricht.`,
  size: (name, limit) => `„${name}“ ist zu groß: höchstens ${formatBytes(limit, "de")} je Datei.`,
  total: (name, limit) => `„${name}“ wurde weggelassen: zusammen höchstens ${formatBytes(limit, "de")}.`,
  empty: (name) => `„${name}“ ist leer.`,
  type: (name, _, kinds) =>
    `„${name}“ ist von einer Art, die hier nicht gesendet werden kann. Möglich: ${fileKinds(kinds)}.`,
  model: (name) => `„${name}“ wurde weggelassen: Das Modell, das hier antwortet, kann solche Dateien nicht ansehen.`,
  unreadable: (name) => `„${name}“ konnte nicht gelesen werden.`,
} satisfies Record<string, Rejected>;

const dictationProblems = {
  blocked: "Der Browser gibt dieser Seite kein Mikrofon. Erlaube es neben der Adresse und versuche es noch einmal.",
  microphone: "Es wurde kein Mikrofon gefunden.",
  network: "Der Browser hat seine Spracherkennung nicht erreicht.",
  language: "Der Browser versteht diese Sprache nicht.",
  nothing: "Es war nichts zu hören.",
  failed: "Der Browser konnte nicht zuhören. Versuche es noch einmal.",
};

const efforts = { low: "Gering", medium: "Mittel", high: "Hoch" };

const composer: ComposerLabels = {
  commands: "Befehle",
  addMention: "Etwas von der Seite erwähnen (@)",
  addFiles: "Dateien hinzufügen",
  noCommands: "Diesen Befehl gibt es nicht. Mit einem Text dahinter wird er eine Abkürzung.",
  noMentions: "Hier ist nichts zu erwähnen. Was die Seite zeigt, sieht der Assistent schon.",
  optionCount: (count) => (count === 1 ? "1 Treffer" : `${count} Treffer`),
  groupCustom: "Deine Abkürzungen",
  removeItem: (what) => `${what} entfernen`,
  deleteHint: "Entf löscht ihn",

  stopCommand: "Die Antwort anhalten",
  help: "Was ich hier kann",
  helpTools: "Ich kann",
  helpContext: "Ich sehe",
  helpNothing: "Diese Seite bietet nichts Eigenes an. Du kannst mich alles fragen.",

  saveCommand: (command) => `${command} als Abkürzung für diesen Text sichern?`,
  saveAndSend: "Sichern und senden",
  sendOnce: "Einmal senden",
  unknownCommand: (command) => `Einen Befehl ${command} gibt es nicht.`,
  sendAsText: "Als Text senden",

  context: "Was mit der Nachricht geht",
  selected: (text) => `Ausgewählt: ${text}`,
  askAboutThis: "Dazu fragen",
  leaveOut: (label) => `${label} nicht senden`,
  showContext: (label) => `Zeigen, was gesendet wird: ${label}`,
  contextPreview: "Das wird gesendet",
  contextTokens: (count) => `${rounded(count / (count < 1000 ? 1 : 1000), "de")}${count < 1000 ? "" : "k"} Tokens`,

  attachments: "Dateien",
  dropFiles: "Dateien hier ablegen",
  fileKinds,
  fileLimits,
  filesAttached: (count) => `${plural(count, "Datei", "Dateien")} angehängt`,
  reading: (name) => `${name} wird gelesen`,
  openImage: (name) => `${name} groß zeigen`,
  rejected: (name, reason, limit, kinds) => rejected[reason](name, limit, kinds),
  bytes: (size) => formatBytes(size, "de"),

  model: "Modell",
  effort: "Aufwand",
  effortName: (effort) => (effort ? efforts[effort] : "Automatisch"),

  dictate: "Diktieren",
  dictateHint: "Diktieren. Dein Browser wandelt Sprache womöglich auf Servern seines Herstellers in Text um.",
  listening: "Ich höre zu",
  dictationProblem: (problem) => dictationProblems[problem],

  move: (by) => (by < 0 ? "Nach oben" : "Nach unten"),
  steer: "Antwort anhalten und jetzt senden",
};

const layouts = {
  docked: "Neben der Seite",
  overlay: "Über dem Rand der Seite",
  popup: "Kleines Fenster",
  full: "Ganzes Fenster",
  inline: "In der Seite",
};

const kinds = {
  page: "Seite",
  tab: "Reiter",
  subtab: "Unterreiter",
  scope: "Betrifft",
  dynamic: "Daten",
  selection: "Auswahl",
  mention: "Erwähnung",
};

const promptParts: Readonly<Record<string, string>> = {
  agent: "Für jede Unterhaltung",
  context: "Wie Daten der Seite gelesen werden",
  page: "Seite",
  tab: "Reiter",
  subtab: "Unterreiter",
  payloads: "Wie Karten gezeigt werden",
  payload: "Karte",
  actions: "Knöpfe der Seite",
  suggestions: "Wie er vorschlägt",
  scope: "Für diesen Ort gespeichert",
};

const keys = {
  focus: "Assistenten öffnen, zum Eingabefeld gehen oder von dort aus schließen",
  pane: "Zwischen Unterhaltung und Eingabefeld wechseln",
  escape: "Schließen, was oben liegt, dann die Antwort anhalten, dann den Assistenten schließen",
  help: "Diese Liste zeigen",
  find: "In einer langen Unterhaltung suchen",
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
  pin: "Anheften oder lösen",
  delete: "Löschen",
  search: "Zum Suchfeld gehen",
  resize: "Breite ändern, am Rand des Assistenten; Enter setzt zurück",
  title: "Unterhaltung umbenennen, in der Kopfzeile",
};

const shareProblems: Readonly<Record<string, string>> = {
  thread_busy: "Eine Antwort wird noch geschrieben. Teile die Unterhaltung, wenn sie fertig ist.",
  too_many_shares: "Diese Unterhaltung hat zu viele Links. Widerrufe erst einen.",
  too_large: "Diese Unterhaltung ist zu lang zum Teilen.",
  not_permitted: "Du darfst Unterhaltungen nicht teilen.",
  sharing_unavailable: "Auf diesem Server ist das Teilen ausgeschaltet.",
};

const changes = {
  deleted: "gelöscht",
  archived: "archiviert",
  unarchived: "zurückgeholt",
  pinned: "angeheftet",
  unpinned: "gelöst",
};

const panels: PanelLabels = {
  rename: "Umbenennen",
  titleInput: "Name der Unterhaltung",
  copyMarkdown: "Als Markdown kopieren",
  layout: "Anordnung",
  layoutName: (layout) => layouts[layout],
  shortcuts: "Tastenkürzel",
  deleteThread: "Unterhaltung löschen",
  usage: (input, cached, output, cost) =>
    `Tokens: ${input.toLocaleString("de")} gelesen${cached ? ` (${cached.toLocaleString("de")} aus dem Cache)` : ""} · ${output.toLocaleString("de")} geschrieben${cost === undefined ? "" : ` · ${dollars(cost, "de")}`}`,
  quota: ({ scope, unit, used, limit, resetsAt }, now) => {
    const amount = (count: number) => (unit === "dollars" ? dollars(count, "de") : count.toLocaleString("de"));
    const all = unit === "dollars" ? amount(limit) : `${amount(limit)} Tokens`;
    const whose = scope === "user" ? ["Dein", ""] : ["Das", " deiner Organisation"];
    return used < limit
      ? `${whose[0]} heutiges Kontingent${whose[1]}: ${amount(used)} von ${all}`
      : `${whose[0]} Kontingent${whose[1]} von ${all} am Tag ist bis ${timeOf(resetsAt, now, "de")} Uhr aufgebraucht`;
  },
  runsAtOnce: (used, limit) => `Wird gerade beantwortet: ${used} von ${limit}`,
  back: "Zurück",

  searchThreads: "Unterhaltungen durchsuchen",
  threadView: (view) => ({ active: "Unterhaltungen", archived: "Archiviert", deleted: "Gelöscht" })[view],
  threadAge: (age) =>
    ({
      pinned: "Angeheftet",
      today: "Heute",
      yesterday: "Gestern",
      previousWeek: "Vorige 7 Tage",
      older: "Früher",
    })[age],
  untitled: "Unterhaltung ohne Namen",
  archive: (archived) => (archived ? "Aus dem Archiv zurückholen" : "Archivieren"),
  pin: (pinned) => (pinned ? "Lösen" : "Anheften"),
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
  changeFailed: "Das konnte nicht gespeichert werden.",
  threadChanged: (title, change) => `„${title}“ ${changes[change]}`,
  copyFailed: "Der Browser hat das Kopieren nicht erlaubt.",

  share: "Teilen …",
  shareThread: "Unterhaltung teilen",
  shareHint:
    "Alle, die hier angemeldet sind und den Link haben, können diese Unterhaltung lesen, wie sie jetzt ist; spätere Nachrichten gehören nicht dazu.",
  shareFor: "Der Link gilt",
  shareDays: (days) => (days === 365 ? "1 Jahr" : `${days} Tage`),
  createLink: "Link erstellen",
  newLink: "Neuer Link",
  copyLink: "Link kopieren",
  linkOnce: "Kopiere ihn jetzt: Er wird nicht noch einmal gezeigt.",
  shareProblem: (code) => (Object.hasOwn(shareProblems, code) ? shareProblems[code] : undefined),
  links: "Links zu dieser Unterhaltung",
  linkUntil: (until) => `Gilt bis ${date(until, "de")}`,
  linkCreated: (at) => `erstellt am ${dateAndTime(at, "de")}`,
  revokeLink: "Widerrufen",
  linkRevoked: "Link widerrufen",
  linksHint: "Ein widerrufener Link gilt sofort nicht mehr und lässt sich nicht wiederherstellen.",

  sharedThread: "Geteilte Unterhaltung",
  sharedOn: (at) => `Geteilt am ${date(at, "de")}, nur zum Lesen`,
  sharedProblem: (why) =>
    ({
      ended: "Dieser Link ist abgelaufen oder wurde widerrufen.",
      signedOut: "Melde dich erst an, um diese Unterhaltung zu lesen.",
      notPermitted: "Du darfst geteilte Unterhaltungen nicht lesen.",
      failed: "Die Unterhaltung konnte nicht geladen werden.",
    })[why],
  startOwn: "Eigene Unterhaltung beginnen",

  seesHint: "Das geht mit deiner nächsten Nachricht mit. Was du ausschaltest, bleibt hier.",
  place: "Wo du bist",
  noPlace: "Die Seite sagt es nicht.",
  kindName: (kind) => kinds[kind],
  tools: (where) => (where === "page" ? "Was er hier tun kann" : "Was er auf dem Server tun kann"),
  nothingHere: "Nichts auf dieser Seite.",
  instructions: (by) => (by === "page" ? "Anweisungen der Seite" : "Anweisungen des Betreibers"),
  toolEffect: (effect) =>
    ({
      read: "liest",
      write: "ändert etwas",
      idempotent: "ändert etwas",
      destructive: "ändert, was sich nicht zurücknehmen lässt",
      exfil: "schickt etwas an andere",
    })[effect],
  asksFirst: "fragt dich vorher",
  sometimes: "bei Bedarf",
  promptPart: (kind, of) => [promptParts[kind] ?? kind, of].filter(Boolean).join(": "),
  sharedState: "Was Seite und Assistent teilen",
  stateAccess: (access) => (access === "write" ? "Er liest und ändert es" : "Er liest es"),
  whereDataGoes: "Wer antwortet und wohin deine Daten gehen",
  sentTo: (host) => (host ? `geht an ${host}` : "bleibt im Netz des Betreibers"),
  modelScripted: "spielt Regeln aus einer Datei; nichts verlässt den Server",
  modelUse: (use) =>
    ({
      now: "antwortet jetzt",
      reserve: "als Reserve",
      choice: "kann gewählt werden",
      choice_reserve: "als Reserve für eines, das gewählt werden kann",
    })[use],
  disclosureFailed: "Was der Server hinzufügt, konnte nicht gelesen werden.",
  allowedTools: "Läuft ohne Nachfrage",
  anyValue: "jeder Wert",
  allowedUntil: (until, scope) =>
    until
      ? `in ${scope === "user" ? "allen Unterhaltungen" : "dieser Unterhaltung"} bis ${dayAndTime(until, "de")}`
      : "bis dieser Tab geschlossen wird",
  allowedFailed: "Was der Server ohne Nachfrage ausführt, konnte nicht gelesen oder geändert werden.",
  askAgain: (tool) => (tool ? `Wieder fragen: ${tool}` : "Wieder fragen"),
  tokens: (count) => (count === 1 ? "1 Token" : `${count.toLocaleString("de")} Tokens`),
  tokensOf: (count, budget) => `Etwa ${count.toLocaleString("de")} von ${budget.toLocaleString("de")} Tokens`,
  tokensInAll: (count) => `${count.toLocaleString("de")} mit Werkzeugen und Anweisungen`,
  overBudget: "Mehr, als hineinpasst: die längsten Werte werden gekürzt.",
  fromSource: (source) => `von ${source}`,
  include: (what) => `Senden: ${what}`,

  exportedSources: "Quellen",
  exportedAt: (date) => `Exportiert ${date}`,
  toolCall: (tool) => `Werkzeug: ${tool}`,
  attachment: (name) => `Anhang: ${name}`,

  shortcutText: (name) => keys[name],
  keysIn: (area) =>
    ({ page: "Überall auf der Seite", tray: "Im Assistenten", composer: "Im Eingabefeld", history: "Im Verlauf" })[
      area
    ],
};

/** Every text of the tray in German. */
export const german: TrayLabels = {
  ...panels,
  ...composer,
  ...messages,
  history: "Verlauf",
  menu: "Mehr",
  title: "Assistent",
  openTray: (title) => `${title} öffnen`,
  close: "Schließen",
  resizeTray: "Breite des Assistenten ändern",
  newConversation: "Neue Unterhaltung",
  scriptedModel: "Skript-Demomodell",
  scriptedModelHint: "Die Antworten kommen aus Regeln in einer Datei, nicht von einem Sprachmodell.",
  modelHint: (name) => `Es antwortet ${name}`,

  conversation: "Unterhaltung",
  onThisPage: "Auf dieser Seite",
  whatItSees: (tokens) =>
    `Was der Assistent sieht${tokens === undefined ? "" : `: etwa ${tokens.toLocaleString("de")} Tokens`}`,
  sentWhen: (always) => (always ? "Immer gesendet" : "Nur wenn erwähnt"),
  noValue: "Es hat gerade keinen Wert und wird darum nicht gesendet.",
  exportMarkdown: "Als Markdown exportieren",
  you: "Du",
  assistant: "Assistent",
  greeting: (page) => (page ? `Frag etwas zu ${page}` : "Wie kann ich helfen?"),
  greetingHint: "Ich sehe, was auf dieser Seite steht, und kann damit arbeiten.",
  thinking: (still) => (still ? "Denkt noch nach; Anhalten beendet es" : "Denkt nach"),
  retrying: (wait) => `Das Modell hat nicht geantwortet, neuer Versuch${wait ? ` in ${wait} s` : ""}`,
  loading: "Die Unterhaltung wird geladen",
  earlier: (state) =>
    ({
      available: "Frühere Nachrichten zeigen",
      loading: "Frühere Nachrichten werden geladen",
      loaded: "Frühere Nachrichten sind geladen",
      failed: "Frühere Nachrichten konnten nicht geladen werden. Erneut versuchen",
    })[state],
  reasoning: (active) => (active ? "Überlegt" : "Überlegung"),
  cut: (reason) =>
    ({
      stopped: "Angehalten",
      unfinished: "Nicht fertig",
      length: "Die Antwort wurde abgeschnitten: Sie hat die Längengrenze des Modells erreicht.",
      filter: "Die Antwort wurde abgeschnitten: Der Filter des Anbieters hat sie gestoppt.",
      steps: "Die Antwort endet vorzeitig: Die Schritte für eine Frage waren aufgebraucht.",
    })[reason],
  continueAnswer: "Fortsetzen",
  newReply: "Neue Antwort",
  scrollToEnd: "Zum Ende",
  copyMessage: "Nachricht kopieren",
  copied: "Kopiert",

  response: (state) =>
    ({ running: "Der Assistent antwortet", complete: "Antwort vollständig", stopped: "Antwort angehalten" })[state],

  placeholder: "Frag etwas zu dieser Seite",
  messageInput: "Nachricht",
  send: "Nachricht senden",
  stop: "Anhalten",
  sendHint: (does, touch) => sendHints[does][touch ? "touch" : "keys"],

  toolStatus: (status) =>
    ({
      pending: "Wird vorbereitet",
      executing: "Läuft",
      complete: "Fertig",
      failed: "Fehlgeschlagen",
      "awaiting-approval": "Wartet auf Freigabe",
      denied: "Abgelehnt",
      cancelled: "Abgebrochen",
    })[status],
  toolProgress: (tool) => `Fortschritt von ${tool}`,
  toolArguments: "Argumente",
  toolResult: "Ergebnis",
  toolError: "Fehler",

  accept: "Übernehmen",
  accepted: "Übernommen",
  dismissed: (card) => `${card}: verworfen`,
  undo: "Rückgängig",
  restore: "Wiederherstellen",
  cardGrowing: "wird geschrieben",
  cardFailed: "Eine Karte konnte nicht angezeigt werden",
  empty: "Nichts darin",
  yesOrNo: (value) => (value ? "Ja" : "Nein"),

  approvalTitle: (tool) => `„${tool}“ ausführen?`,
  question: "Frage",
  waitingForYou: "Wartet auf dich",
  interruptHint: "Eine neue Nachricht übergeht, was hier noch offen ist.",
  approve: "Freigeben",
  deny: "Ablehnen",
  given: (answer) =>
    ({
      approved: "Freigegeben",
      always: "In dieser Unterhaltung immer freigegeben",
      skipped: "Übersprungen",
      answered: "Beantwortet",
    })[answer],
  edit: "Bearbeiten",
  cancel: "Abbrechen",
  change: "Ändern",
  skip: "Überspringen",
  answerIt: "Antworten",
  yourAnswer: "Deine Antwort",
  expiresIn: (minutes) => {
    if (minutes <= 0) return "Abgelaufen. Es wurde nicht ausgeführt.";
    return minutes < 90 ? `Läuft in ${minutes} min ab` : `Läuft in ${Math.round(minutes / 60)} Stunden ab`;
  },
  fieldProblem: (problem) => problems[problem],

  suggested: "Vorschläge",
  disconnected: (offline) =>
    offline
      ? "Offline. Die Antwort geht weiter, sobald du zurück bist."
      : "Verbindung verloren, wird wiederhergestellt",
  queue: "Wartende Nachrichten",
  queueHint: QUEUED,
  sendNow: "Jetzt senden",
  remove: "Entfernen",
  editMessage: "Nachricht bearbeiten",

  branches: "Fassungen",
  branch: (by) => (by < 0 ? "Vorige Fassung" : "Nächste Fassung"),
  regenerate: "Noch einmal antworten",
  rating: (value) => (value < 0 ? "Schlechte Antwort" : "Gute Antwort"),
  feedbackComment: "Was war falsch? (freiwillig)",
  sendFeedback: "Senden",

  partFailed: "Dieser Teil konnte nicht geladen werden.",

  duration: (minutes, seconds) => (minutes > 0 ? `${minutes} min ${seconds} s` : `${seconds.replace(".", ",")} s`),

  errorTitle: "Die Antwort konnte nicht fertiggestellt werden",
  notSent: "Nicht gesendet",
  tryAgainAt: (at, now) => `Ab ${timeOf(at, now, "de")} geht es wieder.`,
  errorSentence: (code) => (Object.hasOwn(errors, code) ? errors[code] : undefined),
  retry: "Noch einmal",
  details: "Einzelheiten",
  dismiss: "Ausblenden",

  code: "Code",
  copyCode: "Code kopieren",
  table: "Tabelle",
  task: (done) => (done ? "Erledigt" : "Offen"),
  showImage: (alt) => (alt ? `Bild laden: ${alt}` : "Bild laden"),
};
