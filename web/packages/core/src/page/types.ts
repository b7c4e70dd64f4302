/**
 * What a page gives the assistant beside context and tools: commands, instructions, actions,
 * attachments, plug-ins.
 */
import type { Approval, Json, JsonSchema } from "../thread/types.js";

/** A `/command` of the message box. */
export interface SlashCommand {
  /** `"/analyze"`: a slash, then letters, digits, `-` and `_`. */
  command: string;
  /** What it does, in a few words: shown beside it. */
  description: string;
  /**
   * What is sent. As text, whatever the user wrote behind the command follows it on a line of its
   * own; a function is given it.
   */
  prompt?: string | ((args: string) => string);
  /** Runs in place of sending `prompt`. What it throws is shown at the message box. */
  handler?: (args: string) => unknown;
  /** What may follow the command, shown as a hint: `"<field>"`. */
  argumentHint?: string;
  /** A heading in the list. Commands without one come first. */
  group?: string;
  /**
   * Made by the user in the message box, and kept for this browser. Only those can be removed
   * there.
   */
  custom?: boolean;
}

/**
 * The commands of a client. The newest registration of a name wins; undoing it brings back the one
 * below.
 */
export interface Commands {
  register(command: SlashCommand): () => void;
  /**
   * One for each name, sorted by group, then in the order of registration. The same array until
   * something changes.
   */
  all(): readonly SlashCommand[];
  find(command: string): SlashCommand | undefined;
  subscribe(listener: () => void): () => void;
}

/**
 * Background the assistant is told with every request, in the words of the page's author. Not data:
 * instructions.
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

/** A file that goes with a message. */
export interface Attachment {
  id: string;
  name: string;
  /** `"image/png"`. */
  mimeType: string;
  /** In bytes, as it is sent. */
  size: number;
  /** base64, without a `data:` prefix. */
  data: string;
}

/**
 * A component of the host application that speaks to the assistant: groups what it registers in
 * "what the assistant sees".
 */
export interface Plugin {
  /** What `source` of its context, tools and instructions says. */
  id: string;
  name: string;
  capabilities?: readonly ("context" | "tools" | "prompts" | "suggestions" | (string & {}))[];
}

/** What a UI action runs for. The three named ones have a meaning here; a page may have others. */
export type UiTrigger = "assistant-tool" | "capture-context" | "context-updated" | (string & {});

/**
 * Something the page can do, in one definition: a tool of the assistant, an item of a menu, a slash
 * command, or all of them. Which one it is for is said by `type` and by `addTriggerAction`.
 */
export interface UiAction<Context = Record<string, unknown>, Result = unknown> {
  id: string;
  /**
   * `"assistant-tool"` offers it to the model, `"capture-context"` is asked whenever context is
   * read.
   */
  type: UiTrigger;
  /** The application it belongs to; `getActions({ appId })` asks for it. */
  appId?: string;
  getDisplayName?: (context?: Context) => string;
  description?: string;
  /** JSON Schema of the context that `execute` takes: the arguments, where it is a tool. */
  parameters?: JsonSchema;
  /** Also a command of the message box. */
  command?: Pick<SlashCommand, "command" | "argumentHint" | "group">;
  /** Default: always. */
  isCompatible?: (context: Context) => boolean | Promise<boolean>;
  execute: (context: Context) => Result | Promise<Result>;
  /**
   * Asks the user before it runs, whoever starts it: the model, a slash command, a trigger, an
   * agent of the browser. With `true` in general words, with a text in these, and as a function
   * about what it would run with (`false`: this need not be asked). Only what the user has just
   * chosen in a menu (`chosen`) runs at once, unless `confirmsAlways`. Not for `capture-context`
   * and `context-updated`, which run by themselves.
   */
  requiresConfirmation?: boolean | string | ((context: Context) => boolean | string | Promise<boolean | string>);
  /** Asks also where the user has just chosen it in a menu. */
  confirmsAlways?: boolean;
  /**
   * What it does cannot be taken back: where it asks, it asks in red, and the user cannot allow it
   * for good.
   */
  destructive?: boolean;
  /** Offered to the browser's own agents too (WebMCP). Default false. */
  webMcp?: boolean | { readOnly?: boolean; destructive?: boolean };
}

/** The actions of a page, by id. Framework-free. */
export interface UiActions {
  registerAction<Context = Record<string, unknown>, Result = unknown>(action: UiAction<Context, Result>): () => void;
  unregisterAction(id: string): void;
  getAction(id: string): UiAction | undefined;
  getActions(filter?: { type?: UiTrigger; appId?: string }): readonly UiAction[];
  /** Attaches an action, or what is to be called, to a trigger. The function undoes it. */
  addTriggerAction(trigger: UiTrigger, action: string | UiAction | { execute: (context: Json) => unknown }): () => void;
  /**
   * Runs what is attached to a trigger: the one that `actionId` names, or all that are compatible,
   * at once. Resolves with the result of the named one, or with those of all. Rejects with the
   * first error; one that the user denied has the name `"denied"`. `chosen` says that the user has
   * just picked it in a menu, and so need not be asked again.
   */
  executeTriggerActions(
    trigger: UiTrigger,
    context?: { actionId?: string; args?: unknown } & Record<string, unknown>,
    options?: { chosen?: boolean },
  ): Promise<unknown>;
  subscribe(listener: () => void): () => void;
}

/** An action of the page that waits for the user's word. */
export interface ActionConfirmation {
  id: string;
  /** The id of the action. */
  actionId: string;
  /** What the action is called on screen. */
  name: string;
  /** What the user is asked, where the action says it. */
  message?: string;
  /** What it would run with. */
  args: unknown;
  /** What the action says of itself. */
  description?: string;
  parameters?: JsonSchema;
  destructive?: boolean;
}

/** The questions of UI actions. */
export interface Confirmations {
  /** Those that wait, oldest first. The same array until something changes. */
  all(): readonly ActionConfirmation[];
  /**
   * Asks, and resolves with the answer. Rejects where nobody subscribed: nobody would see the
   * question.
   */
  ask(question: Omit<ActionConfirmation, "id">): Promise<Approval>;
  /** Nothing happens where no question of that id waits. */
  answer(id: string, answer: Approval): void;
  subscribe(listener: () => void): () => void;
}
