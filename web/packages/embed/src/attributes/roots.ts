/**
 * Which parts of the page may declare. Sanitizers let `data-*` attributes, ids and classes through,
 * so user content must not be able to make itself a root. A root is therefore named by its path
 * from the top, which content cannot choose, or is `<html>` or `<body>`.
 */
import { closest, hasAttribute, htmlOfPage, matches, parentOf } from "./dom.js";
import { DECLARED, IGNORE, isIgnored, ROOT } from "./names.js";

const REMEDY = 'data-roots="html" where users write no HTML, else paths such as data-roots="body > main"';

/**
 * How deep `data-pageside-root` may mark a root: `<html>`, `<body>` and the children of `<body>`.
 */
const MARKED = 3;

/** A compound selector for each element from `<html>` down. */
type Path = readonly string[];

/** The roots of one page. */
export class Roots {
  readonly #paths: readonly Path[];
  #hasTold = false;

  /** `paths` is what the script tag has as `data-roots`: `"body > header, body > main > form"`. */
  constructor(paths: string | null | undefined) {
    this.#paths = (paths ?? "")
      .split(",")
      .map((path) => path.trim())
      .filter(Boolean)
      .map(parse)
      .filter((path) => path !== undefined);
  }

  /**
   * Reports whether the element is in a root now. Nothing in `data-pageside-ignore` is, not even a
   * root inside it.
   */
  covers(element: Element): boolean {
    const line = lineOf(element);
    if (line[0] !== htmlOfPage() || isIgnored(element)) return false;
    return (
      line.slice(0, MARKED).some((each) => hasAttribute(each, ROOT)) ||
      this.#paths.some((path) => path.every(isAt(line)))
    );
  }

  /**
   * Reports whether a change of the element's attributes can make it, or what is below it, a root.
   */
  isOnPath(element: Element): boolean {
    const depth = lineOf(element).length;
    return this.#paths.some((path) => depth <= path.length);
  }

  /**
   * Warns once that an element is outside all roots, and how to fix it. Ignored elements are
   * exempt.
   */
  tell(element: Element): void {
    if (this.#hasTold || isIgnored(element)) return;
    this.#hasTold = true;
    const name = DECLARED.find((each) => hasAttribute(element, each));
    const marked = closest(element, `[${ROOT}]`) !== null;
    const hint = marked
      ? ` ${ROOT} counts on <html>, <body> and the children of <body> only, since users' HTML may carry it too.`
      : "";
    console.warn(
      `Pageside: ${name} declares nothing here, as no root of the page covers it. Name the roots in the script tag: ` +
        `${REMEDY}; and put ${IGNORE} around what users wrote.${hint}`,
      element,
    );
  }
}

/** The element and its ancestors, the topmost first. */
function lineOf(element: Element): Element[] {
  const line: Element[] = [];
  for (let each: Element | null = element; each; each = parentOf(each)) line.push(each);
  return line.reverse();
}

const isAt = (line: readonly Element[]) => (step: string, depth: number) =>
  line[depth] !== undefined && matches(line[depth], step);

/** Parses a path that begins at `<html>`. Undefined, with a warning, if it is invalid. */
function parse(text: string): Path | undefined {
  const steps = text.split(">").map((step) => step.trim());
  if (steps.every(isCompound)) {
    if (/^html(?![\w-])/i.test(text)) return steps;
    if (/^body(?![\w-])/i.test(text)) return ["html", ...steps];
  }
  console.warn(`Pageside: data-roots: "${text}" is no path from html or body, such as "body > main > form".`);
  return undefined;
}

/** One element's selector. Without spaces, so that a descendant combinator is reported as wrong. */
function isCompound(step: string): boolean {
  try {
    return !/\s/.test(step) && new DocumentFragment().querySelector(step) === null;
  } catch {
    return false;
  }
}
