/** What a page gives the assistant: context, places, instructions, commands, plug-ins. */

/** What a context entry is about. */
export type ContextKind = "page" | "dynamic" | "selection" | "mention";

/**
 * What a context entry may say: whatever JSON can. A promise has nothing to say yet, so what it
 * resolves to belongs into the page's state.
 */
export type ContextValue =
  | string
  | number
  | boolean
  | bigint
  | null
  | undefined
  | (object & NotYet)
  | (NotYet & { readonly [name: string]: unknown }); // objects that are written there

/** No promise, and no function of one. */
interface NotYet {
  readonly then?: never;
  readonly [Symbol.hasInstance]?: never;
}

/** One thing on the page that the assistant should know. It is data, never instructions. */
export interface ContextEntry {
  /** Unique among the entries of a client; registering the same id again replaces it. */
  id: string;
  description: string;
  /**
   * The value, or a function that returns it, called whenever a run begins. An entry with a promise
   * in its value is left out with a warning.
   */
  value: ContextValue | (() => ContextValue);
  /** `"@selected-rows"`: lets the user mention it. */
  label?: string;
  /** Whether it is sent with every message, the default. With `false`, only when mentioned. */
  auto?: boolean;
  kind: ContextKind;
  /** The component or plug-in that registered it. */
  source?: string;
  /**
   * Everything that the value summarises, in the same order: for example rows with every field. It
   * is not sent: the assistant fetches single items with the tool `retrieve_items`, which calls
   * this.
   */
  items?: () => readonly unknown[];
  /**
   * Prepares a value that takes a moment to get. Called before a run reads the value, and awaited
   * for a short time.
   */
  prepare?: () => unknown;
}

/** A context entry without its value. */
export type ContextEntryInfo = Omit<ContextEntry, "value" | "items" | "prepare"> & { auto: boolean };

/** What `forwardedProps.pageside.context` says about the context item at the same position. */
export interface ContextDetail {
  id: string;
  label?: string;
  kind: ContextKind;
  source?: string;
}

/** Where the user is in the host application. */
export interface Place {
  /** The page the user is on. The place chooses the server's tools, payloads and instructions. */
  page: string;
  /** The tab. It counts only where a `page` is set. */
  tab?: string;
  /** The subtab. */
  subtab?: string;
  /** What the place is about: `{ stream: "42" }`. */
  scope?: Record<string, string>;
}

/** What the user can switch off in "what the assistant sees". */
export type IncludedKind = "context" | "tool" | "instructions";

/**
 * Background for the assistant, sent with every request: the words of the page's author, never
 * data.
 */
export interface InstructionEntry {
  /** Unique among the instructions of a client; registering the same id again replaces it. */
  id: string;
  text: string;
  /** Higher ones come first; default 0. */
  priority?: number;
  /** Who registered it. */
  source?: string;
}

/** A `/command` of the message box. */
export interface SlashCommand {
  /**
   * A slash, then letters, digits, `-` and `_`, in either case: `"/analyze"`. Anything else throws.
   */
  command: string;
  /** What it does, in a few words. Shown beside the command. */
  description: string;
  /**
   * What is sent: a text, followed on a new line by what the user wrote after the command, or a
   * function of that. Required without `handler`.
   */
  prompt?: string | ((args: string) => string);
  /** Runs instead of sending `prompt`. What it throws is shown at the message box. */
  handler?: (args: string) => unknown;
  /** Shown as a hint of what may follow: `"<field>"`. */
  argumentHint?: string;
  /** A heading in the list. Commands without one come first. */
  group?: string;
  /** The component or plug-in it belongs to. */
  source?: string;
  /** Made by the user and kept in this browser. */
  custom?: boolean;
}

/**
 * The commands of a client. The newest registration of a name wins; undoing it restores the
 * previous one.
 */
export interface Commands {
  register(command: SlashCommand): () => void;
  /**
   * One per name, by group, then in the order of registration. The same array until something
   * changes.
   */
  all(): readonly SlashCommand[];
  find(command: string): SlashCommand | undefined;
  subscribe(listener: () => void): () => void;
}

/**
 * What a plug-in may contribute: context and instructions; tools; commands of the message box;
 * suggestions for an empty thread.
 */
export type Capability = "context" | "tools" | "prompts" | "suggestions";

/** A component of the host application. "What the assistant sees" groups what it registers. */
export interface Plugin {
  /** The `source` of what it contributes. */
  id: string;
  /** Its name in "what the assistant sees". */
  name: string;
  /**
   * What it may contribute. Anything else with its id as `source` is left out, with a warning.
   * Default: everything.
   */
  capabilities?: readonly Capability[];
  /** What each thread's shared state has at `/pluginState/<id>`, unless it has something there. */
  initialState?: unknown;
}
