// The list of states, and how the one that was chosen is shown. Each has an address:
// #answer?theme=dark&width=390
import { entries } from "./catalogue.js";

const choices = {
  theme: ["light", "dark"],
  dir: ["ltr", "rtl"],
  density: ["cozy", "compact"],
  lang: ["en", "de"],
  width: ["1000", "1280", "768", "420", "390"],
} as const;

type Choice = keyof typeof choices;

const nav = document.querySelector("nav")!;
const form = document.querySelector("form")!;
const frame = document.querySelector("iframe")!;
const first = entries[0]!.id;

function read(): { id: string; query: URLSearchParams } {
  const [id = "", query = ""] = location.hash.slice(1).split("?");
  return { id: entries.some((entry) => entry.id === id) ? id : first, query: new URLSearchParams(query) };
}

function address(id: string, query: URLSearchParams): string {
  return `#${id}${query.size > 0 ? `?${query}` : ""}`;
}

for (const [name, values] of Object.entries(choices)) {
  const select = document.createElement("select");
  select.name = name;
  select.append(...values.map((value) => new Option(value)));
  const label = document.createElement("label");
  label.append(`${name} `, select);
  form.append(label);
}

form.addEventListener("change", () => {
  const chosen = [...new FormData(form)].filter(([name, value]) => value !== choices[name as Choice][0]);
  location.hash = address(read().id, new URLSearchParams(chosen as [string, string][]));
});

function show(): void {
  const { id, query } = read();
  nav.replaceChildren();
  let part = "";
  for (const entry of entries) {
    if (entry.part !== part) {
      part = entry.part;
      nav.append(Object.assign(document.createElement("h2"), { textContent: part }));
    }
    const link = Object.assign(document.createElement("a"), {
      href: address(entry.id, query),
      textContent: entry.name,
    });
    if (entry.id === id) link.setAttribute("aria-current", "page");
    nav.append(link);
  }
  for (const name of Object.keys(choices) as Choice[]) {
    (form.elements.namedItem(name) as HTMLSelectElement).value = query.get(name) ?? choices[name][0];
  }
  const { width = choices.width[0], ...rest } = Object.fromEntries(query);
  frame.style.inlineSize = `${width}px`;
  frame.src = `./stage.html?${new URLSearchParams({ entry: id, theme: "light", ...rest })}`;
}

window.addEventListener("hashchange", show);
show();
