import type { Page } from "../page.js";
import { declarationsOf, type Declaration, type DeclareTool } from "./declared.js";
import { allOfPage, closest, hasAttribute, hasBelow, matches } from "./dom.js";
import { DECLARED, DEPARTURES, isHidden, TOOL } from "./names.js";
import type { Roots } from "./roots.js";

const SELECTOR = DECLARED.map((name) => `[${name}]`).join(",");

/** The changes that may affect declarations; changes of fields only in forms that are tools. */
const OF_FIELDS = ["name", "type", "required", "min", "max", "step", "disabled", "readonly", "multiple"];

/** How long changes of the page are collected, in milliseconds. */
const COLLECT = 50;

/**
 * Registers what the page declares below its roots, and follows changes. The function undoes it.
 */
export function observe(page: Page): () => void {
  const registrations = new Registrations();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let declareTool: DeclareTool | undefined;
  let ended = false;

  const scan = () => {
    timer = undefined;
    const elements = ownOf(page.roots);
    registrations.keep(elements, (element) => declarationsOf(element, page, declareTool));
    if (!declareTool && elements.some((element) => hasAttribute(element, TOOL))) void loadTools();
  };

  /** Loads the code for forms only on pages with forms. */
  const loadTools = async () => {
    ({ declareTool } = await import("./tool.js"));
    if (!ended) scan();
  };

  const observer = new MutationObserver((changes) => {
    if (timer === undefined && changes.some(matters(page.roots))) timer = setTimeout(scan, COLLECT);
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

/** The visible declaring elements in a root. Warns about the first one outside all roots. */
function ownOf(roots: Roots): Element[] {
  return allOfPage(SELECTOR).filter((element) => {
    if (isHidden(element)) return false;
    const isOwn = roots.covers(element);
    if (!isOwn) roots.tell(element);
    return isOwn;
  });
}

/** What is registered, by the element that declares it and the key of the declaration. */
class Registrations {
  readonly #registered = new Map<Element, Map<string, () => void>>();

  /** Registers what these elements declare, and unregisters all others. */
  keep(elements: readonly Element[], declared: (element: Element) => Declaration[]): void {
    const present = new Set(elements);
    for (const element of [...this.#registered.keys()]) if (!present.has(element)) this.#update(element, []);
    for (const element of elements) this.#update(element, declared(element));
  }

  /** Registers an element's new declarations and unregisters those it no longer has. */
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

/** Warns once about a wrong declaration, which is then ignored. */
function registerOf(element: Element, declaration: Declaration): () => void {
  try {
    return declaration.register();
  } catch (error) {
    console.warn("Pageside: an element declares what cannot be.", element, error);
    return () => {};
  }
}

/** Answers the calls that the previous page left behind. */
async function greet({ client, roots }: Page): Promise<void> {
  if (!hasArrivals()) return;
  const { answerDeparted } = await import("./departures.js");
  await answerDeparted(client, roots);
}

function hasArrivals(): boolean {
  try {
    return (sessionStorage.getItem(DEPARTURES) ?? "[]") !== "[]";
  } catch {
    return false; // the storage is switched off
  }
}

/** A change of these attributes does not cause another reading. */
const matters =
  (roots: Roots) =>
  ({ type, target, attributeName, addedNodes, removedNodes }: MutationRecord): boolean => {
    if (!(target instanceof Element)) return type === "childList";
    if (type === "attributes") return changesWhatIsDeclared(target, attributeName ?? "", roots);
    return closest(target, SELECTOR) !== null || [...addedNodes, ...removedNodes].some(declares);
  };

function changesWhatIsDeclared(target: Element, name: string, roots: Roots): boolean {
  if (name.startsWith("data-pageside-")) return true;
  if (name === "hidden" || name === "inert") return declares(target);
  if (name !== "style" && roots.isOnPath(target)) return true;
  return OF_FIELDS.includes(name) && closest(target, `[${TOOL}]`) !== null;
}

/** Reports whether the node, or anything below it, declares something. */
const declares = (node: Node) => node instanceof Element && (matches(node, SELECTOR) || hasBelow(node, SELECTOR));
