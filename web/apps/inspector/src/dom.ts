/**
 * Helpers to build elements. Text is never HTML, because models and strangers wrote what runs
 * contain.
 */
type Child = Node | string | number | false | undefined | null;
type Props = Record<string, string | number | boolean | undefined | ((event: Event) => void)>;

/** Makes an element with properties and children. */
export function h(tag: string, props: Props = {}, ...children: (Child | Child[])[]): HTMLElement {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children.flat().filter(isShown).map(String_));
  return element;
}

const isShown = (child: Child): child is Node | string | number =>
  child !== false && child !== undefined && child !== null;
const String_ = (child: Node | string | number) => (typeof child === "number" ? String(child) : child);

/** Replaces the content, keeping the reader's scroll position and focus. */
export function fill(element: HTMLElement, ...children: Child[]): void {
  const { scrollTop } = element;
  element.replaceChildren(...children.filter(isShown).map(String_));
  element.scrollTop = scrollTop;
}

/** A number with grouped thousands. */
export const number = (value: number) => value.toLocaleString("en");

/** A time span in words. */
export const duration = (ms: number) =>
  ms < 0
    ? "–"
    : ms < 1000
      ? `${Math.round(ms)} ms`
      : ms < 60_000
        ? `${(ms / 1000).toFixed(1)} s`
        : `${(ms / 60_000).toFixed(1)} min`;

/** The time of day. */
export const clock = (time: string) => new Date(time).toLocaleTimeString("en", { hour12: false });

/** "1 call", "2 calls". */
export const counted = (count: number, what: string) => `${number(count)} ${what}${count === 1 ? "" : "s"}`;

/** "openai/gpt-5, effort high". */
export const modelOf = ({ model, effort }: { model: string; effort?: string }) =>
  [model, effort && `effort ${effort}`].filter(Boolean).join(", ");

/** Text as it is. What may be longer than its box can be scrolled with the keyboard. */
export function block(label: string, text: string): HTMLElement {
  const long = text.length > 400 || text.split("\n", 13).length > 12;
  return long ? h("pre", { tabindex: 0, role: "group", "aria-label": label }, text) : h("pre", {}, text);
}

/** Indented JSON; any other text as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
