/** The prompt by section, and each model call with what is new in it and what the cache served. */
import type { Detail, Section, Step } from "./api.ts";
import { costTable, PURPOSES, usageLine } from "./cost.ts";
import { plainText } from "./plain.ts";
import { block, counted, duration, h, modelOf, number, pretty } from "./dom.ts";

const totalOf = (parts: { tokens: number }[]) => parts.reduce((sum, { tokens }) => sum + tokens, 0);

/** The parts of a prompt, each with its tokens. */
export function sectionList(sections: Section[]): HTMLElement {
  const total = totalOf(sections);
  return h(
    "div",
    { class: "list" },
    sections.map(({ name, text, tokens, cache }) =>
      h(
        "details",
        {},
        h(
          "summary",
          {},
          h("span", { class: "grow" }, name),
          cache
            ? h("span", { class: "tag", title: "A provider may keep the prompt up to here" }, "cache up to here")
            : "",
          bar(tokens, total),
          h("span", { class: "num" }, number(tokens)),
        ),
        block(name, text),
      ),
    ),
  );
}

/** How much of the whole a part is. The number stands beside it. */
function bar(part: number, whole: number): HTMLElement {
  const fill = h("span", {});
  fill.style.inlineSize = `${whole > 0 ? Math.max(1, Math.round((100 * part) / whole)) : 0}%`;
  return h("span", { class: "bar", "aria-hidden": "true" }, fill);
}

/** The prompt of a run. */
export function promptView(run: Detail): HTMLElement {
  return h(
    "div",
    {},
    (run.warnings ?? []).map((text) => h("p", { class: "bad" }, text)),
    run.stored
      ? h(
          "p",
          { class: "quiet" },
          "The prompt of a run from before the server's start is not kept, and cannot be rebuilt.",
        )
      : "",
    heading("System prompt", `${number(totalOf(run.sections))} tokens`),
    sectionList(run.sections),
    heading("Tools offered", `${run.tools.length}, ${number(totalOf(run.tools))} tokens`),
    h("div", { class: "list" }, run.tools.map(toolRow)),
    run.withheld.length > 0 ? heading("Tools withheld", "the user is not permitted to use them") : "",
    h("div", { class: "list" }, run.withheld.map(withheldRow)),
    heading("On screen", `${number(totalOf(run.context))} tokens as the page sent them`),
    h("div", { class: "list" }, run.context.map(contextRow)),
    heading("Model calls", `${run.modelCalls.length}`),
    run.modelCalls.length > 0 && !run.stored ? costTable(run) : "",
    run.modelCalls.map(stepView),
  );
}

const toolRow = ({ name, description, parameters, tokens, frontend }: Detail["tools"][number]) =>
  h(
    "details",
    {},
    h(
      "summary",
      {},
      h("code", { class: "grow" }, name),
      h("span", { class: "tag" }, frontend ? "in the page" : "on the server"),
      h("span", { class: "num" }, number(tokens)),
    ),
    h("p", {}, description),
    block(`Parameters of ${name}`, JSON.stringify(parameters ?? {}, null, 2)),
  );

const withheldRow = ({ name, rule, reason }: Detail["withheld"][number]) =>
  h("p", {}, h("code", {}, name), h("span", { class: "quiet" }, [` by ${rule}`, reason].filter(Boolean).join(": ")));

const contextRow = ({ description, label, kind, source, tokens, value }: Detail["context"][number]) =>
  h(
    "details",
    {},
    h(
      "summary",
      {},
      h("span", { class: "grow" }, description),
      label ? h("span", { class: "tag" }, label) : "",
      kind ? h("span", { class: "tag" }, source ? `${kind}, ${source}` : kind) : "",
      h("span", { class: "num" }, number(tokens)),
    ),
    block(description, pretty(value)),
  );

function stepView(step: Step, index: number): HTMLElement {
  const fresh = step.messages.slice(step.unchanged);
  return h(
    "section",
    { class: "step" },
    h(
      "h3",
      {},
      `Call ${index + 1}`,
      step.purpose ? h("span", { class: "tag" }, PURPOSES[step.purpose] ?? step.purpose) : "",
      step.attempt > 1 ? h("span", { class: "tag warn" }, `attempt ${step.attempt}`) : "",
      h(
        "span",
        { class: "quiet" },
        ` ${modelOf(step)}`,
        step.ms < 0 ? "" : `, ${duration(step.ms)}, first token after ${duration(step.firstMs)}`,
      ),
    ),
    step.ms < 0 ? "" : usageLine(step.usage),
    step.error ? h("p", { class: "bad" }, step.error) : "",
    h(
      "div",
      { class: "list" },
      step.unchanged > 0
        ? h("p", { class: "quiet pad" }, `${counted(step.unchanged, "message")} as in the call before`)
        : "",
      fresh.map(({ role, text, tokens }) =>
        h(
          "details",
          {},
          h(
            "summary",
            {},
            h("span", { class: "tag" }, role),
            h("span", { class: "grow cut" }, text.replace(/\s+/g, " ").slice(0, 160)),
            h("span", { class: "num" }, number(tokens)),
          ),
          block(`Message of ${role}`, text),
        ),
      ),
      step.reasoning ? answer("thought", step.reasoning) : "",
      step.text ? answer("answer", plainText(step.text)) : "",
    ),
  );
}

const answer = (what: string, text: string) =>
  h(
    "details",
    { open: true },
    h("summary", {}, h("span", { class: "tag good" }, what), h("span", { class: "grow cut" }, text.slice(0, 120))),
    block(what, text),
  );

/** The heading of a part of the page. */
export const heading = (title: string, note = "") =>
  h("h2", {}, title, note ? h("span", { class: "quiet" }, ` ${note}`) : "");
