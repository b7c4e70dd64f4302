/**
 * What actions of the page ask before they run. Separate from the actions, so that drawing the
 * questions does not load them.
 */
import type { Extensible } from "../base/extensible.js";
import { Subscribable } from "../base/subscribable.js";
import type { Approval } from "./types.js";
import type { ActionConfirmation, Confirmations } from "./ui-action-types.js";

const CONFIRMATIONS = Symbol("confirmations");

/**
 * The open questions of a client's UI actions. The tray draws them; a page without a tray must draw
 * them itself.
 *
 * @example
 * const questions = confirmationsOf(client);
 * questions.subscribe(() => {
 *   for (const { id, message, name } of questions.all())
 *     questions.answer(id, { approved: confirm(message ?? name) });
 * });
 */
export function confirmationsOf(client: Extensible): Confirmations {
  return client.extension(CONFIRMATIONS, createConfirmations);
}

function createConfirmations(): Confirmations {
  let all: readonly ActionConfirmation[] = [];
  let count = 0;
  const waiting = new Map<string, (answer: Approval) => void>();
  const changes = new Subscribable();

  const change = (next: typeof all) => {
    all = next;
    changes.notify();
  };

  return {
    all: () => all,
    ask(question) {
      if (!changes.hasListeners) return Promise.reject(new Error(`Pageside: nothing here shows what "${question.actionId}" asks.`)); // prettier-ignore
      const id = `action-${++count}`;
      const answered = new Promise<Approval>((resolve) => waiting.set(id, resolve));
      change([...all, { ...question, id }]);
      return answered;
    },
    answer(id, answer) {
      waiting.get(id)?.(answer);
      if (waiting.delete(id)) change(all.filter((each) => each.id !== id));
    },
    subscribe: changes.subscribe,
  };
}
