/** What runs and asks about things of the page that are no tools of it: for packages on top. */
import type { Extensible } from "./base/extensible.js";
import type { Definition } from "./tools/allowances.js";
import { askUser as ask } from "./tools/asking.js";
import { clientToolsOf } from "./tools/page-calls.js";
import type { Approval, Asked as AskedOf } from "./tools/questions.js";

export { check as checkArguments } from "./tools/arguments.js";
export { runCall } from "./tools/run-call.js";
export type { Definition } from "./tools/allowances.js";

/** A question of the page about something with a name. */
export type Asked = AskedOf & { name: string };

/**
 * Asks the user whether something may run, unless it is allowed already, and keeps what the user
 * always allows. Rejects where nothing shows the question, and with the signal's reason when it is
 * aborted.
 */
export function askUser(
  client: Extensible,
  asked: Asked,
  definition: Definition,
  signal: AbortSignal,
): Promise<Approval> {
  return ask(clientToolsOf(client).parts, asked, definition, signal);
}
