/** What the tools of a client share. */
import type { Page } from "../page/page.js";
import type { Questions } from "./questions.js";
import type { ToolRegistry } from "./registry.js";
import type { ToolCallState } from "./types.js";

/** The registries of a client's tools. */
export interface ToolParts {
  readonly page: Page;
  readonly tools: ToolRegistry;
  /** Every tool call that was begun here, so that none runs twice by itself. */
  readonly begun: Set<string>;
  /** What waits for the user. */
  readonly questions: Questions;
  /** The user, and whom the client talks to. */
  readonly owner: string;
  /** Set if no server asks the user: whether calls of tools that change something wait here. */
  readonly direct?: { readonly asks: boolean };
  /** Where calls are remembered for all tabs. If absent, they are not. */
  readonly memory: { readonly common?: Pick<Storage, "getItem" | "setItem"> };
}

/** What `client.extension(TOOLS)` has, for parts of the core that are not members of the client. */
export interface ClientTools {
  readonly parts: ToolParts;
  /** Changes a call of the open thread. Reports whether there is one with that id. */
  change(id: string, change: Partial<ToolCallState>): boolean;
}

/** The key of `ClientTools`. */
export const TOOLS = Symbol("tools");
