/** What was sent, what the provider's cache served and took, and what it cost. */
import type { Detail, Usage } from "./api.ts";
import { counted, h, number } from "./dom.ts";

/** What a call was for, if not for a step of the answer. */
export const PURPOSES: Record<string, string> = { summary: "summary of older messages", title: "title of the thread" };

/** An amount with enough digits to tell small ones apart. */
export const dollars = (amount: number) =>
  amount > 0 && amount < 0.000_001
    ? "under $0.000001"
    : `$${amount.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: amount < 0.1 ? 6 : 4 })}`;

/** The cost in words; "" where there is nothing to pay. */
export function costOf({ cost, unpriced = 0 }: Usage): string {
  if (unpriced === 0) return cost === undefined ? "" : dollars(cost);
  if (cost === undefined) return "cost unknown";
  return `${dollars(cost)} and ${counted(unpriced, "call")} of unknown cost`;
}

const share = (part: number, whole = 0) =>
  whole > 0 ? ` (${Math.round((100 * part) / Math.max(whole, part))} %)` : "";

/** The provider's token count, the share that its cache served, and the cost. */
export function usageLine(usage: Usage): HTMLElement {
  const { prompt, input, output, reasoning, cacheRead, cacheWrite } = usage;
  const parts = prompt > 0 ? [`about ${number(prompt)} tokens sent`] : [];
  if (input !== undefined) parts.push(`${number(input)} counted`);
  if (cacheRead !== undefined) parts.push(`${number(cacheRead)} from the cache${share(cacheRead, input)}`);
  if (cacheWrite !== undefined) parts.push(`${number(cacheWrite)} put into the cache`);
  if (output !== undefined) parts.push(`${number(output)} answered`);
  if (reasoning) parts.push(`${number(reasoning)} thought`);
  const cost = costOf(usage);
  return h("p", { class: "quiet" }, parts.join(" · "), cost ? " · " : "", cost ? h("strong", {}, cost) : "");
}

/** What each call of a run was sent, had cached and cost, and the sums. */
export function costTable({ modelCalls, usage }: Detail): HTMLElement {
  const heads = ["Cost", "Sent", "Read from cache", "Put into cache", "Answered"];
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "group", "aria-label": "What the model calls cost" },
    h(
      "table",
      { class: "costs" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "Call"),
          heads.map((head) => h("th", { scope: "col" }, head)),
        ),
      ),
      h(
        "tbody",
        {},
        modelCalls.map((step, index) =>
          row(step.purpose ? `${index + 1}, ${step.purpose}` : `${index + 1}`, step.usage),
        ),
      ),
      h("tfoot", {}, row("All", usage)),
    ),
  );
}

const costCell = ({ cost, unpriced = 0 }: Usage) =>
  unpriced > 0 && cost !== undefined ? `${dollars(cost)} + unknown` : costOf({ prompt: 0, cost, unpriced }) || "none";

function row(name: string, usage: Usage): HTMLElement {
  const { prompt, input, cacheRead, cacheWrite, output } = usage;
  const sent = input === undefined ? `about ${number(prompt)}` : number(input);
  const counts = [cacheRead, cacheWrite, output].map((n) => (n === undefined ? "not reported" : number(n)));
  const cells = [costCell(usage), sent, ...counts];
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, name),
    cells.map((cell) => h("td", {}, cell)),
  );
}
