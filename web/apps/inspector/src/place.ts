/** What holds at a place: tools, cards, actions, the prompt. Another place can be tried. */
import { resolve, type Place, type Resolution } from "./api.ts";
import { h, number } from "./dom.ts";
import { heading, sectionList } from "./prompt.ts";

/** What the assistant has at a place, and a form to ask about others. */
export function placeView(agent: string, place: Place): HTMLElement {
  const result = h("div", { "aria-live": "polite" });
  const field = (name: string, value = "") =>
    h("label", {}, name, h("input", { name, value, autocomplete: "off", spellcheck: "false" }));
  const scope = Object.entries(place.scope ?? {}).map(([kind, id]) => `${kind}:${id}`);
  const form = h(
    "form",
    { class: "fields" },
    field("page", place.page),
    field("tab", place.tab),
    field("subtab", place.subtab),
    field("scope", scope.join(" ")),
    h("button", { type: "submit" }, "Resolve"),
  ) as HTMLFormElement;
  const ask = async () => {
    try {
      result.replaceChildren(resolutionView(await resolve(agent, placeOf(new FormData(form)))));
    } catch (error) {
      result.replaceChildren(h("p", { class: "bad", role: "alert" }, (error as Error).message));
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void ask();
  });
  void ask();
  return h("div", {}, heading("Place"), form, result);
}

function placeOf(form: FormData): Place {
  const text = (name: string) => String(form.get(name) ?? "").trim() || undefined;
  const scope = (text("scope") ?? "").split(/\s+/).filter((pair) => pair.includes(":"));
  return {
    page: text("page"),
    tab: text("tab"),
    subtab: text("subtab"),
    scope:
      scope.length > 0
        ? Object.fromEntries(scope.map((pair) => pair.split(/:(.*)/s, 2) as [string, string]))
        : undefined,
  };
}

function resolutionView({ tools, payloads, actions, suggestions, sections, tokens }: Resolution): HTMLElement {
  return h(
    "div",
    {},
    heading("Prompt there", `${number(tokens)} tokens with the server's tools`),
    sectionList(sections),
    heading("Tools", String(tools.length)),
    rows(
      tools.map(({ name, description, effect, approval }) => [name, `${effect}, approval: ${approval}`, description]),
    ),
    heading("Cards", String(payloads.length)),
    rows(
      payloads.map(({ name, description, source, marker }) => [
        name,
        marker ? `${source}, ${marker}` : source,
        description,
      ]),
    ),
    heading("Actions", String(actions.length)),
    rows(actions.map(({ name, description, handler }) => [name, handler, description])),
    heading("Suggestions", String(suggestions.length)),
    rows(suggestions.map(({ label, value }) => [label, "", value])),
  );
}

const rows = (list: [string, string, string][]) =>
  list.length === 0
    ? h("p", { class: "quiet" }, "None.")
    : h(
        "div",
        { class: "list" },
        list.map(([name, tag, text]) =>
          h(
            "div",
            { class: "line" },
            h("code", {}, name),
            tag ? h("span", { class: "tag" }, tag) : "",
            h("span", { class: "grow quiet" }, text),
          ),
        ),
      );
