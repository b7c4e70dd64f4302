/** What the server tells a user about its part in an answer. */
import type { Extensible } from "../base/extensible.js";
import { httpOf, sharedOf } from "./shared.js";
import type { ThreadSnapshot } from "./types.js";

/** Where requests go. Both are absent where that is unknown, or nowhere. */
export interface Destination {
  /** A public host. */
  host?: string;
  /** A host in the operator's own network. */
  private?: boolean;
}

/**
 * When a model answers: the next question; if the one that answers now fails; once the user chooses
 * it; if one that the user chooses fails.
 */
export type ModelUse = "now" | "reserve" | "choice" | "choice_reserve";

/** A model that may answer. */
export interface DisclosedModel extends Destination {
  /** `openai/gpt-5-mini`. */
  name: string;
  /** Plays rules from a file. */
  scripted?: boolean;
  uses: ModelUse[];
}

/** A tool of the server that is offered at the user's place. */
export interface DisclosedTool extends Destination {
  name: string;
  description: string;
  effect: "read" | "write" | "idempotent" | "destructive" | "exfil";
  /** Whether a person is asked before it runs. */
  approval: "never" | "always" | "policy";
  /** It belongs to Pageside itself. */
  builtIn?: boolean;
  /** The condition under which it is offered. */
  when?: string;
  /** About how many tokens its declaration takes. */
  tokens: number;
}

/** What an agent works with at the user's place, and where the data goes. */
export interface Disclosure {
  agent: string;
  description?: string;
  /** Every model that may answer, the one that answers now first. */
  models: DisclosedModel[];
  tools: DisclosedTool[];
  /** The parts of the prompt that are the server's, without their text. */
  instructions: { name: string; tokens: number }[];
  /** What the model may do with the state that the page and the agent share. */
  state: "none" | "read" | "write";
  /** About how many tokens the server adds to each call of a model, but for the state. */
  tokens: number;
}

/**
 * What the server adds to what the page sends at the user's place, and where the data goes with the
 * model that the user has chosen. Rejects with an error whose `error` is a `ClientError` if the
 * server refuses or cannot be reached.
 *
 * @example
 * const { models, tools } = await disclosureOf(client);
 */
export async function disclosureOf(client: Asking): Promise<Disclosure> {
  const shared = sharedOf(client);
  const { agent, places } = shared;
  const { threadId, picked } = client.getSnapshot();
  const json = { agent, ...places.current(), threadId, ...(picked && { model: picked.model }) };
  const response = await httpOf(shared).send("/v1/disclosure", { json });
  return (await response.json()) as Disclosure;
}

interface Asking extends Extensible {
  getSnapshot(): Pick<ThreadSnapshot, "threadId" | "picked">;
}
