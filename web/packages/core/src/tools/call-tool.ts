import type { Extensible } from "../base/extensible.js";
import { loadRunning } from "./load.js";
import type { CallOptions } from "./types.js";

/**
 * Runs a tool of the page by its name, as a call of the assistant runs it: its arguments are
 * checked, the user is asked where it asks, and `pageCallsOf` of
 * `@pageside/core/calls` has the call's state. Rejects with
 * what the handler threw, or with an error whose `name` the assistant would be told:
 * `unknown_tool`, `invalid_arguments`, `denied`, `timeout`.
 *
 * @example
 * await callTool(client, "set_query", { query: "status>=500" });
 */
export async function callTool(
  client: Extensible,
  name: string,
  args: unknown = {},
  options: CallOptions = {},
): Promise<unknown> {
  return (await loadRunning()).runCall(client, name, args, options);
}
