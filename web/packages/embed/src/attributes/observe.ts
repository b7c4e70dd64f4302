import type { Page } from "../page.js";
import { declarationsOf, type Declaration, type DeclareTool } from "./declared.js";
import { DECLARED, DEPARTURES, isHidden, TOOL } from "./names.js";

const SELECTOR = DECLARED.map((name) => `[${name}]`).join(",");

/** Changes that may change what is declared; of fields only inside a form that is a tool. */
const OF_FIELDS = ["name", "type", "required", "min", "max", "step", "disabled", "readonly", "multiple"];

/** How long changes of the page are collected, in milliseconds. */
const COLLECT = 50;

/** Registers what the page declares by attributes, now and whenever it changes. The function ends that. */
export function observe(page: Page): () => void {
  const registrations = new Registrations();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let declareTool: DeclareTool | undefined;
  let ended = false;

  const scan = () => {
    timer = undefined;
    const elements = [...document.querySelectorAll(SELECTOR)].filter((element) => !isHidden(element));
    registrations.keep(elements, (element) => declarationsOf(element, page, declareTool));
    if (!declareTool && elements.some((element) => element.hasAttribute(TOOL))) void loadTools();
  };

  /** Filling in forms is only for pages that have some. */
  const loadTools = async () => {
    ({ declareTool } = await import("./tool.js"));
    if (!ended) scan();
  };

  const observer = new MutationObserver((changes) => {
    if (timer === undefined && changes.some(matters)) timer = setTimeout(scan, COLLECT);
  });
  observer.observe(document, {
    subtree: true,
    childList: true,
    characterData: false,
    attributes: true, // the names of scopes are the page's own, so no filter can have them
  });
  scan();
  void greet(page);
  return () => {
    ended = true;
    observer.disconnect();
    clearTimeout(timer);
    registrations.keep([], () => []);
  };
}

/** What is registered, by the element that declares it and the key of the declaration. */
class Registrations {
  readonly #registered = new Map<Element, Map<string, () => void>>();

  /** Registers what these elements declare, and takes back what others did. */
  keep(elements: readonly Element[], declared: (element: Element) => Declaration[]): void {
    const present = new Set(elements);
    for (const element of [...this.#registered.keys()]) if (!present.has(element)) this.#update(element, []);
    for (const element of elements) this.#update(element, declared(element));
  }

  /** Registers what is new of an element and takes back what it no longer says. */
  #update(element: Element, declarations: Declaration[]): void {
    const known = this.#registered.get(element) ?? new Map<string, () => void>();
    const wanted = new Map(declarations.map((declaration) => [declaration.key, declaration]));
    for (const [key, undo] of known) {
      if (wanted.has(key)) continue;
      undo();
      known.delete(key);
    }
    for (const [key, declaration] of wanted) if (!known.has(key)) known.set(key, registerOf(element, declaration));
    if (known.size > 0) this.#registered.set(element, known);
    else this.#registered.delete(element);
  }
}

/** What is declared wrong is told once, and costs the page nothing else. */
function registerOf(element: Element, declaration: Declaration): () => void {
  try {
    return declaration.register();
  } catch (error) {
    console.warn("Pageside: an element declares what cannot be.", element, error);
    return () => {};
  }
}

/** Answers what the page before this one left behind. */
async function greet({ client }: Page): Promise<void> {
  if (!hasArrivals()) return;
  const { Arrivals } = await import("./departures.js");
  await new Arrivals().tell(client);
}

function hasArrivals(): boolean {
  try {
    return (sessionStorage.getItem(DEPARTURES) ?? "[]") !== "[]";
  } catch {
    return false; // the storage is switched off
  }
}

/** A page that is busy with itself is not read again for that. */
function matters({ type, target, attributeName, addedNodes, removedNodes }: MutationRecord): boolean {
  if (!(target instanceof Element)) return type === "childList";
  if (type === "attributes") {
    const name = attributeName ?? "";
    if (name.startsWith("data-pageside-")) return true;
    if (name === "hidden" || name === "inert")
      return target.matches(SELECTOR) || target.querySelector(SELECTOR) !== null;
    return OF_FIELDS.includes(name) && target.closest(`[${TOOL}]`) !== null;
  }
  const declares = (node: Node) => node instanceof Element && (node.matches(SELECTOR) || node.querySelector(SELECTOR));
  return target.closest(SELECTOR) !== null || [...addedNodes, ...removedNodes].some(declares);
}
