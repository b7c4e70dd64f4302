/** Keeps context short. Loaded when a `useDynamicContext` has a budget. */

/** About so many characters are a token. */
const PER_TOKEN = 4;

/** How a `useDynamicContext` wants its value to be cut. */
interface Budgeted {
  description: string;
  label?: string;
  items?: readonly unknown[];
  budget?: number;
}

/**
 * As much of a value, which is this text, as fits, and how much is missing. Lists are cut between
 * items.
 */
export function cut(value: unknown, text: string | undefined, { budget, items, label, description }: Budgeted) {
  const most = (budget ?? Infinity) * PER_TOKEN;
  if (text === undefined || text.length <= most) return value;
  const more = items ? `: call retrieve_items with source ${JSON.stringify(label ?? description)}` : "";
  if (!Array.isArray(value)) {
    return `${wellFormed(text.slice(0, most))}\n…and ${text.length - most} more characters${more}`;
  }
  const texts = value.map((item) => JSON.stringify(item) ?? "null");
  let room = most - 2; // the brackets
  const fitting = texts.findIndex((each) => (room -= each.length + 1) < 0);
  return `[${texts.slice(0, fitting).join(",")}]\n…and ${value.length - fitting} more of ${value.length}${more}`;
}

/** The text without half an emoji at its end. */
function wellFormed(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, "");
}
