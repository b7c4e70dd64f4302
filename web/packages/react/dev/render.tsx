import { renderToStaticMarkup } from "react-dom/server";
import { Markdown } from "../src/markdown/Markdown.js";

/** The HTML of a whole text, read at once. */
export const oneShot = (source: string, streaming = false) =>
  renderToStaticMarkup(<Markdown source={source} streaming={streaming} />);

/** The HTML of a whole text in a real document. */
export function oneShotElement(source: string): HTMLElement {
  const element = document.createElement("div");
  element.innerHTML = oneShot(source);
  return element;
}

/** Every beginning of a text that does not cut a character in two. */
export function* prefixes(text: string): Generator<string> {
  for (let end = 1; end <= text.length; end++) {
    const code = text.charCodeAt(end - 1);
    if (code < 0xd800 || code > 0xdbff) yield text.slice(0, end);
  }
}

/** HTML with the attributes in order: React writes them in the order they came. */
export function canonical(element: Element): string {
  const copy = element.cloneNode(true) as Element;
  for (const each of copy.querySelectorAll("*")) {
    const attributes = [...each.attributes].sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name } of attributes) each.removeAttribute(name);
    for (const { name, value } of attributes) each.setAttribute(name, value);
  }
  return copy.innerHTML;
}
