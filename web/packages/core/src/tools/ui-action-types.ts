/** What a page can do, in one definition for menus, commands and the assistant. */
import type { SlashCommand } from "../page/types.js";
import type { Json, JsonSchema } from "../protocol/types.js";
import type { Approval } from "./types.js";

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
