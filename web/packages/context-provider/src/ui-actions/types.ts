/** What a page can do: one definition for menus, commands and the assistant. */
import type { Json, JsonSchema, SlashCommand, ToolEffect } from "@pageside/core";

/** What runs a UI action. The three named triggers have a meaning here; a page may add others. */
export type UiTrigger = "assistant-tool" | "capture-context" | "context-updated" | (string & {});

/**
 * Something the page can do: a tool of the assistant, a menu item, a slash command, or all of them.
 * `type` and `addTriggerAction` say which.
 */
export interface UiAction<Context = Record<string, unknown>, Result = unknown> {
  /**
   * Also the tool's name, without `assistant-` before it. Registering a second action with the same
   * id throws.
   */
  id: string;
  /** The trigger it belongs to. */
  type: UiTrigger;
  /**
   * The application it belongs to, and the `source` of its tool and context. A `capture-context`
   * action runs only while it is the current one: see `setCurrentApp`.
   */
  appId?: string;
  /**
   * Its name in menus.
   * @defaultValue the id
   */
  getDisplayName?: (context?: Context) => string;
  /**
   * For the model.
   * @defaultValue the id
   */
  description?: string;
  /** JSON Schema of the context that `execute` takes. */
  parameters?: JsonSchema;
  /**
   * Also a slash command. What follows it is JSON, or the value of the only required (else the
   * first) parameter, and is not validated.
   */
  command?: Pick<SlashCommand, "command" | "argumentHint" | "group">;
  /**
   * If false, a tool call fails and a trigger leaves the action out.
   * @defaultValue always
   */
  isCompatible?: (context: Context) => boolean | Promise<boolean>;
  /** Does it. As a tool, `context` is the validated arguments. */
  execute: (context: Context) => Result | Promise<Result>;
  /**
   * Asks the user first, whoever starts it: `true`, a question, or a function of the context that
   * returns either (`false`: don't ask this time). Not for `capture-context` and `context-updated`.
   * @defaultValue `false`
   */
  requiresConfirmation?: boolean | string | ((context: Context) => boolean | string | Promise<boolean | string>);
  /**
   * Asks also after the user has just chosen it in a menu (`chosen`).
   * @defaultValue `false`
   */
  confirmsAlways?: boolean;
  /**
   * What it may change when the assistant starts it, as of a tool.
   * @defaultValue `"page"`
   */
  effect?: ToolEffect;
  /**
   * It cannot be undone: the user cannot always allow it.
   * @defaultValue `false`
   */
  destructive?: boolean;
  /**
   * Offered to the browser's own agents too (WebMCP).
   * @defaultValue `false`
   */
  webMcp?: boolean | { readOnly?: boolean; destructive?: boolean };
}

/**
 * The actions of a page, by id. Framework-free. A tool that `useAssistantAction` or `registerTool`
 * registered is an action too: `assistant-<name>`, of the type `assistant-tool`.
 */
export interface UiActions {
  registerAction<Context = Record<string, unknown>, Result = unknown>(action: UiAction<Context, Result>): () => void;
  unregisterAction(id: string): void;
  getAction(id: string): UiAction | undefined;
  /** With `appId`, those of that application and those of none. */
  getActions(filter?: { type?: UiTrigger; appId?: string }): readonly UiAction[];
  /**
   * Says which application the user is in. Without it, the `page` of the place; without a page,
   * every application is current.
   */
  setCurrentApp(appId: string | undefined): void;
  /** Attaches an action or a plain callback to a trigger. The function undoes it. */
  addTriggerAction(trigger: UiTrigger, action: string | UiAction | { execute: (context: Json) => unknown }): () => void;
  /**
   * Runs what is attached to a trigger: the action that `actionId` names, or all compatible ones in
   * parallel. Resolves with one result, or with all. Rejects with the first error, whose name is
   * `"denied"` if the user refused. `chosen` says that the user has just picked it in a menu, so it
   * need not ask. Tools that components registered run only by their `actionId`.
   */
  executeTriggerActions(
    trigger: UiTrigger,
    context?: { actionId?: string; args?: unknown } & Record<string, unknown>,
    options?: { chosen?: boolean },
  ): Promise<unknown>;
  subscribe(listener: () => void): () => void;
}
