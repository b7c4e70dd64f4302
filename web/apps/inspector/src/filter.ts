/** Which runs are listed: by words, status, agent, model, tool and time. */
import type { Summary } from "./api.ts";
import { h, modelOf } from "./dom.ts";

/** What a run must have. An empty value selects all. */
export interface Filter {
  text: string;
  status: string;
  agent: string;
  model: string;
  tool: string;
  /** Began in so many hours until now. */
  hours: string;
}

/** Selects all runs. */
export const NO_FILTER: Filter = { text: "", status: "", agent: "", model: "", tool: "", hours: "" };

const HOUR = 3_600_000;

/** Whether a run is among those that a filter selects. All words must be in it. */
export function matches(run: Summary, filter: Filter, now: number): boolean {
  const { status, agent, model, tool, hours } = filter;
  const { question, error = "", id, threadId, threadTitle = "", subject, toolNames, brings = [] } = run;
  const tools = [...toolNames, ...brings];
  const said = [question, error, id, threadId, threadTitle, subject, run.agent, modelOf(run), ...tools];
  const all = said.join("\n").toLowerCase();
  return (
    filter.text
      .toLowerCase()
      .split(/\s+/)
      .every((word) => all.includes(word)) &&
    (!status || run.status === status) &&
    (!agent || run.agent === agent) &&
    (!model || run.model === model) &&
    (!tool || tools.includes(tool)) &&
    (!hours || now - Date.parse(run.beganAt) <= Number(hours) * HOUR)
  );
}

const TIMES = { "1": "last hour", "24": "last day", "168": "last week" };

/** The form. Its lists hold what the runs have. */
export class FilterForm {
  readonly element: HTMLFormElement;
  value = NO_FILTER;
  readonly #lists: Record<"status" | "agent" | "model" | "tool", HTMLSelectElement>;

  constructor(changed: () => void) {
    const list = (name: string, label: string) =>
      h("select", { name, "aria-label": label }, h("option", { value: "" }, `any ${label}`)) as HTMLSelectElement;
    this.#lists = {
      status: list("status", "status"),
      agent: list("agent", "agent"),
      model: list("model", "model"),
      tool: list("tool", "tool"),
    };
    const hours = list("hours", "time");
    hours.append(...Object.entries(TIMES).map(([value, label]) => h("option", { value }, label)));
    const text = h("input", { type: "search", name: "text", "aria-label": "Search the runs", placeholder: "Search", autocomplete: "off" }); // prettier-ignore
    const more = h(
      "details",
      {},
      h("summary", {}, "Filter"),
      h("div", { class: "choices" }, Object.values(this.#lists), hours),
    );
    this.element = h("form", { class: "find", role: "search" }, text, more) as HTMLFormElement;
    const read = () => {
      this.value = { ...NO_FILTER, ...(Object.fromEntries(new FormData(this.element)) as Partial<Filter>) };
      changed();
    };
    this.element.addEventListener("input", read);
    this.element.addEventListener("submit", (event) => event.preventDefault());
  }

  /** Offers what the runs have, and keeps what is chosen. */
  offer(runs: readonly Summary[]): void {
    this.#fill("status", runs.map(({ status }) => status)); // prettier-ignore
    this.#fill("agent", runs.map(({ agent }) => agent)); // prettier-ignore
    this.#fill("model", runs.map(({ model }) => model)); // prettier-ignore
    this.#fill("tool", runs.flatMap(({ toolNames, brings = [] }) => [...toolNames, ...brings])); // prettier-ignore
  }

  #fill(name: keyof FilterForm["value"] & ("status" | "agent" | "model" | "tool"), values: string[]): void {
    const list = this.#lists[name];
    const chosen = list.value;
    const wanted = [...new Set([...values, chosen])].filter(Boolean).sort();
    const known = [...list.options].slice(1).map(({ value }) => value);
    if (wanted.join("\n") === known.join("\n")) return; // an open list stays open
    list.replaceChildren(list.options[0]!, ...wanted.map((value) => h("option", { value }, value)));
    list.value = chosen;
  }
}
