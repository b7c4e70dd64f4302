import type { PagesideClient, ToolCallState } from "@pageside/core";
import type { AssistantAction, ToolCallError, ToolRenderProps, Untyped } from "@pageside/react";
import { createContext, type ReactNode } from "react";

/** A tool as it goes to the model. */
export interface ToolDefinition {
  name: string;
  description: string;
  /** The JSON Schema of its arguments. */
  parameters: Untyped;
}

/** The state of a tool call, as `useAssistantActionContext` has it. */
export interface ActionCallState extends Omit<ToolCallState, "args" | "result" | "error"> {
  /** The parsed arguments; while they stream, what can be read so far. */
  args?: Untyped;
  /** What the call returned. */
  result?: Untyped;
  /** What went wrong. */
  error?: ToolCallError;
  /** When it began, in milliseconds since the epoch. */
  timestamp: number;
}

/** What a call is drawn from: its state. */
export type ActionRenderProps = Pick<ToolRenderProps, "status"> &
  Partial<Pick<ToolRenderProps, "toolCallId" | "name" | "args" | "result" | "progress">> & { error?: Error };

/** What may be changed of a call's state. */
export type ActionCallChange = Partial<Omit<ActionCallState, "error">> & {
  /** What was thrown: an Error, or anything else. */
  error?: unknown;
};

/** The actions of the page and the calls of them, for chat windows of your own. */
export interface AssistantActionContextValue {
  /** The client; absent from values that tests make. */
  readonly client?: PagesideClient;
  /** The actions of the page by name: those that can be called, and those that only draw. */
  actions: ReadonlyMap<string, AssistantAction>;
  /** The calls of the open thread and those of the page itself, by id. */
  toolCallStates: ReadonlyMap<string, ActionCallState>;
  /** Adds an action, until `unregisterAction` or another one with its name. */
  registerAction(action: AssistantAction): void;
  /** Removes what `registerAction` added. */
  unregisterAction(name: string): void;
  /**
   * Runs an action as a call of the assistant does: the arguments are checked, the user is asked
   * where it asks. Rejects if it fails, or if no action of that name can be called.
   */
  executeAction(name: string, args: Untyped): Promise<Untyped>;
  /** The actions that are offered to the model. */
  getToolDefinitions(): ToolDefinition[];
  /** Changes the state of a call, or begins one that no run has made. */
  updateToolCallState(id: string, state: ActionCallChange): void;
  /** How calls of that action are drawn. */
  getActionRenderer(name: string): ((props: ActionRenderProps) => ReactNode) | undefined;
}

/**
 * Where `useAssistantAction` registers, if a value is here that is not the provider's: for tests.
 * Read it with `useAssistantActionContext`.
 */
export const AssistantActionContext = createContext<AssistantActionContextValue | undefined>(undefined);
