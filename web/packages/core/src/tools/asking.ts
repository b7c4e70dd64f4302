/** Asks the user before something runs in the page, unless it is allowed already. */
import type { Extensible } from "../base/extensible.js";
import { Allowances, toAllowable, type Definition } from "./allowances.js";
import { clientToolsOf } from "./page-calls.js";
import { ask, type Approval, type Asked } from "./questions.js";
import type { ToolParts } from "./parts.js";

/**
 * Asks, and keeps what the user always allows. What no call of the model started rejects where
 * nothing shows the question.
 */
export async function askUser(
  parts: ToolParts,
  asked: Asked & { name: string },
  definition: Definition,
  signal: AbortSignal,
): Promise<Approval> {
  const { questions } = parts;
  if (asked.from !== "tool" && questions.viewers === 0)
    throw new Error(`Pageside: nothing here shows what "${asked.name}" asks.`);
  const allowances = allowancesOf(parts);
  const allowable = toAllowable(asked.name, definition, asked.args);
  if (allowances.isAllowed(allowable)) return { approved: true };
  const offer = { destructive: definition.destructive, ...(allowable && { allowance: { scope: "session" as const } }) };
  const given = await ask(questions, { ...asked, ...offer }, signal, allowable);
  if (given.approved && given.always && allowable) {
    allowances.allow(toAllowable(asked.name, definition, given.args ?? asked.args));
    for (const open of questions.open) if (allowances.isAllowed(open.allowable)) open.answer({ approved: true });
  }
  return given;
}

const allowancesOf = ({ questions, owner }: ToolParts) => (questions.allowances ??= new Allowances(owner));

/**
 * What the user has allowed of the page's tools and actions until the tab is closed.
 *
 * @example
 * const allowances = pageAllowancesOf(client);
 * for (const allowed of allowances.all()) allowances.revoke(allowed);
 */
export function pageAllowancesOf(client: Extensible): Allowances {
  return allowancesOf(clientToolsOf(client).parts);
}
