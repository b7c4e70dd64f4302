/** How much the assistant sees, in tokens: the same numbers in the composer and in the panel. */
import type { PagesideClient } from "@pageside/core";
import type { Disclosure } from "@pageside/core/server";
import type { Told } from "./useDisclosure.js";

/** Four English letters are a token, and so is any other character: the server counts alike. */
const PER_TOKEN = 4;

/** About as many tokens as a model counts. */
export function tokensIn(...texts: readonly string[]): number {
  const text = texts.join("");
  const others = text.match(/\P{ASCII}/gu)?.length ?? 0;
  const english = text.replace(/\P{ASCII}/gu, "").length;
  return Math.ceil((english + others * PER_TOKEN) / PER_TOKEN);
}

/** The tokens of a context entry as it is sent. */
export const tokensOfContext = ({ description, value }: { description: string; value: string }): number =>
  tokensIn(description, value);

/** The tokens of a tool of the page. */
export function tokensOfTool({ name, description = "", parameters }: ToolLike): number {
  return tokensIn(name) + tokensIn(description) + tokensIn(JSON.stringify(parameters) ?? "");
}

interface ToolLike {
  name: string;
  description?: string;
  parameters?: unknown;
}

/** The tokens of what the page sends with every message: context, tools and instructions. */
export function tokensOfPage(client: PagesideClient, context = client.getContext()): number {
  const instructions = client.getInstructions().filter(({ id }) => client.isIncluded("instructions", id));
  const all = [
    ...context.map(tokensOfContext),
    ...client.getTools().map(tokensOfTool),
    ...instructions.map(({ text }) => tokensIn(text)),
  ];
  return all.reduce((sum, each) => sum + each, 0);
}

/** The tokens of what the server adds, as far as it is known: tools, instructions, the state. */
export function tokensOfServer(told: Told, state: unknown): number {
  if (!told || told === "failed") return 0;
  return told.tokens + tokensOfState(told.state, state);
}

/** The tokens of the shared state, if the model reads it. */
export function tokensOfState(access: Disclosure["state"], state: unknown): number {
  const text = JSON.stringify(state) ?? "";
  return access === "none" || text.length <= "{}".length ? 0 : tokensIn(text);
}
