/** What a page can do: one definition for menus, commands and the assistant. */
import type { SlashCommand } from "../page/types.js";
import type { Json, JsonSchema } from "../protocol/types.js";
import type { Approval } from "./types.js";

/** What runs a UI action. The three named triggers have a meaning here; a page may add others. */
export type UiTrigger = "assistant-tool" | "capture-context" | "context-updated" | (string & {});

/**
 * Something the page can do: a tool of the assistant, a menu item, a slash command, or all of them.
 * `type` and `addTriggerAction` say which.
 */
export interface UiAction<Context = Record<string, unknown>, Result = unknown> {
  id: string;
  /**
   * `"assistant-tool"` offers it to the model, `"capture-context"` is asked whenever context is
   * read.
   */
  type: UiTrigger;
  /** The application it belongs to, for `getActions({ appId })`. */
  appId?: string;
  getDisplayName?: (context?: Context) => string;
  description?: string;
  /** The JSON Schema of the context that `execute` takes; of a tool, its arguments. */
  parameters?: JsonSchema;
  /** Also a command of the message box. */
  command?: Pick<SlashCommand, "command" | "argumentHint" | "group">;
  /** Default: always. */
  isCompatible?: (context: Context) => boolean | Promise<boolean>;
  execute: (context: Context) => Result | Promise<Result>;
  /**
   * Asks the user before it runs, whether the model, a slash command, a trigger or an agent of the
   * browser starts it. `true` asks in general words, a text is the question, and a function makes
   * the question from the arguments (`false`: do not ask). An action that the user has just chosen
   * in a menu (`chosen`) does not ask, unless `confirmsAlways`. Not for `capture-context` and
   * `context-updated`, which run by themselves.
   */
  requiresConfirmation?: boolean | string | ((context: Context) => boolean | string | Promise<boolean | string>);
  /** Asks even if the user has just chosen it in a menu. */
  confirmsAlways?: boolean;
  /** Its effect cannot be undone: its question is red, and the user cannot allow it for good. */
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
  /** Attaches an action or a plain callback to a trigger. The function undoes it. */
  addTriggerAction(trigger: UiTrigger, action: string | UiAction | { execute: (context: Json) => unknown }): () => void;
  /**
   * Runs what is attached to a trigger: the action that `actionId` names, or all compatible ones in
   * parallel. Resolves with one result, or with all. Rejects with the first error, whose name is
   * `"denied"` if the user refused. `chosen` says that the user has just picked it in a menu, so it
   * need not ask.
   */
  executeTriggerActions(
    trigger: UiTrigger,
    context?: { actionId?: string; args?: unknown } & Record<string, unknown>,
    options?: { chosen?: boolean },
  ): Promise<unknown>;
  subscribe(listener: () => void): () => void;
}

/** An action of the page that waits for the user's confirmation. */
export interface ActionConfirmation {
  id: string;
  /** The id of the action. */
  actionId: string;
  /** The action's name on screen. */
  name: string;
  /** The question, if the action has one. */
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
  /** The open questions, oldest first. The same array until something changes. */
  all(): readonly ActionConfirmation[];
  /**
   * Asks, and resolves with the answer. Rejects if there are no subscribers to show the question.
   */
  ask(question: Omit<ActionConfirmation, "id">): Promise<Approval>;
  /** Does nothing if no question with that id waits. */
  answer(id: string, answer: Approval): void;
  subscribe(listener: () => void): () => void;
}
