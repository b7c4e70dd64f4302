/** What `useAssistantAction` takes and returns. */
import type { ArgsOf, FrontendTool, StandardSchema } from "@pageside/core";
import type { ToolRender, Untyped } from "./toolRenderers.js";

/** Something the assistant can do in this page. */
export interface AssistantAction<Args = Untyped, Result = Untyped> extends Omit<FrontendTool<Args, Result>, "order"> {
  /**
   * Draws the call. `props` has `status`, `args`, `result`, `error`, `progress`, `name`,
   * `toolCallId`, and `respond(answer)` while a question is open on the call. May use hooks.
   * @defaultValue a row
   */
  render?: ToolRender<Args, Awaited<Result>>;
  /**
   * `false`: not registered at all.
   * @defaultValue `true`
   */
  enabled?: boolean;
  /**
   * When one changes, `description`, `parameters`, `timeout`, `exclusive` and `render` are read
   * again.
   * @defaultValue `[]`
   */
  deps?: readonly unknown[];
}

/** What `useAssistantAction` returns: for the button that does what the assistant can do too. */
export interface AssistantActionHandle<Args = Untyped, Result = Untyped> {
  /** The name of the action. */
  readonly name: string;
  /**
   * Runs the action as a call of the assistant does: the arguments are checked, the user is asked
   * where it asks. Rejects if it fails, or if it is not registered.
   */
  execute(args: Args): Promise<Awaited<Result>>;
}

/**
 * A schema from which the types of the arguments follow: a literal JSON Schema of an object, or one
 * of a library.
 */
export type InferableParameters = { readonly type: "object"; readonly [keyword: string]: unknown } | StandardSchema;

/** An action whose argument types follow from `parameters`. */
export interface InferredAction<Parameters extends InferableParameters, Result = unknown> extends Omit<
  AssistantAction<ArgsOf<Parameters>, Result>,
  "parameters"
> {
  /** The schema of the arguments. */
  parameters: Parameters;
}
