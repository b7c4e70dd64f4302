/** Why nothing was dictated. */
export type DictationProblem = "blocked" | "microphone" | "network" | "language" | "nothing" | "failed";

/** What Pageside uses of the browser's recognition (Web Speech API, W3C community group). */
export interface Recognition {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  onresult: ((event: { results: ArrayLike<ArrayLike<{ transcript: string }>> }) => void) | null;
  onerror: ((event: { error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  stop(): void;
  abort(): void;
}

type Recogniser = new () => Recognition;

/** What only some browsers have. */
interface Speech {
  SpeechRecognition?: Recogniser;
  webkitSpeechRecognition?: Recogniser;
}

/** The browser's recognition, if it has one and the page may use the microphone. */
export function findRecogniser(): Recogniser | undefined {
  const { SpeechRecognition, webkitSpeechRecognition } = window as Speech;
  const { featurePolicy } = document as { featurePolicy?: { allowsFeature(name: string): boolean } };
  if (!window.isSecureContext || featurePolicy?.allowsFeature("microphone") === false) return undefined;
  return SpeechRecognition ?? webkitSpeechRecognition;
}

/** Someone speaks. */
export interface Dictation {
  /** Stops listening. What was said until now may still become text. */
  stop(): void;
  /** Stops at once. Nothing comes any more. */
  abort(): void;
}

/** What a dictation tells. */
export interface DictationListener {
  /** All that was said so far. The newest words may still change. */
  onText: (text: string) => void;
  /** It is over. */
  onEnd: (problem?: DictationProblem) => void;
}

const problems: Readonly<Record<string, DictationProblem>> = {
  "not-allowed": "blocked",
  "service-not-allowed": "blocked",
  "audio-capture": "microphone",
  network: "network",
  "language-not-supported": "language",
  "no-speech": "nothing",
};

/**
 * Starts to listen. On a touch screen it ends with the first pause: Chrome on Android repeats what
 * it heard before in each further result.
 */
export function dictate(
  Recogniser: Recogniser,
  lang: string,
  isTouch: boolean,
  listener: DictationListener,
): Dictation {
  const recognition = new Recogniser();
  let problem: DictationProblem | undefined = "nothing";
  const release = () => (recognition.onresult = recognition.onerror = recognition.onend = null);
  const end = () => {
    release();
    listener.onEnd(problem);
  };

  Object.assign(recognition, { lang, continuous: !isTouch, interimResults: true });
  recognition.onresult = ({ results }) => {
    problem = undefined;
    listener.onText(Array.from(results, (result) => result[0]?.transcript ?? "").reduce(joined, ""));
  };
  recognition.onerror = ({ error }) => {
    problem = problems[error] ?? "failed";
  };
  recognition.onend = end;
  try {
    recognition.start();
  } catch {
    problem = "failed";
    // The caller does not have the dictation yet.
    queueMicrotask(end);
  }
  return {
    stop() {
      recognition.onerror = null;
      problem = undefined;
      recognition.stop();
    },
    abort() {
      release();
      recognition.abort();
    },
  };
}

/** Scripts that have no spaces between words. */
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** Joins two pieces of text by a space where they need one. */
export function joined(before: string, after: string): string {
  if (before === "" || /\s$/.test(before)) return before + after.trimStart();
  const hasOwn = /^($|[\s.,;:!?)])/.test(after);
  const [last = "", first = ""] = [Array.from(before).at(-1), Array.from(after)[0]];
  return before + (hasOwn || (spaceless.test(last) && spaceless.test(first)) ? "" : " ") + after;
}

/** The language in which a person writes into an element, with their own region if they have it. */
export function languageOf(element: Element): string {
  const root = element.getRootNode();
  const place = element.closest("[lang]") ?? (root instanceof ShadowRoot ? root.host.closest("[lang]") : null);
  const lang = place?.getAttribute("lang");
  if (!lang) return navigator.language;
  return navigator.languages.find((own) => own.toLowerCase().startsWith(`${lang.toLowerCase()}-`)) ?? lang;
}
