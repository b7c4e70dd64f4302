/**
 * DOM access that user content cannot clobber. A form's fields hide its own properties
 * (`<input name="closest">` hides `form.closest`), and named forms and images hide those of the
 * document, so everything goes through the prototypes.
 */

function getter<Owner extends object, Name extends keyof Owner>(
  prototype: Owner,
  name: Name,
): (of: Owner) => Owner[Name] {
  const { get } = Object.getOwnPropertyDescriptor(prototype, name)!;
  return (of) => get!.call(of) as Owner[Name];
}

const documentElement = getter(Document.prototype, "documentElement");
const body = getter(Document.prototype, "body");

/** `<html>` of the page. */
export const htmlOfPage = () => documentElement(document);
/** `<body>` of the page. */
export const bodyOfPage = () => body(document);

/**
 * All elements of the page that match a selector, in document order. Throws on an invalid selector.
 */
export const allOfPage = (selector: string): Element[] => [
  ...(Document.prototype.querySelectorAll.call(document, selector) as NodeListOf<Element>),
];

/** All elements below one that match a selector. */
export const allBelow = (element: Element, selector: string): Element[] => [
  ...(Element.prototype.querySelectorAll.call(element, selector) as NodeListOf<Element>),
];

/** Reports whether an element has a descendant that matches a selector. */
export const hasBelow = (element: Element, selector: string): boolean =>
  Element.prototype.querySelector.call(element, selector) !== null;

/** `element.closest`. */
export const closest = (element: Element, selector: string): Element | null =>
  Element.prototype.closest.call(element, selector);

/** `element.matches`. */
export const matches = (element: Element, selector: string): boolean =>
  Element.prototype.matches.call(element, selector);

/** `element.getAttribute`. */
export const attribute = (element: Element, name: string): string | null =>
  Element.prototype.getAttribute.call(element, name);

/** `element.hasAttribute`. */
export const hasAttribute = (element: Element, name: string): boolean =>
  Element.prototype.hasAttribute.call(element, name);

/** `element.contains`. */
export const contains = (element: Element, other: Element): boolean => Node.prototype.contains.call(element, other);

/** `element.click`. */
export const click = (element: HTMLElement): void => HTMLElement.prototype.click.call(element);

/** `form.requestSubmit`. */
export const requestSubmit = (form: HTMLFormElement, button?: HTMLElement): void =>
  HTMLFormElement.prototype.requestSubmit.call(form, button);

/** `element.attributes`. */
export const attributesOf = getter(Element.prototype, "attributes");
/** `node.childNodes`. */
export const childNodesOf = getter(Node.prototype, "childNodes");
/** `node.parentElement`. */
export const parentOf = getter(Node.prototype, "parentElement");
/** `form.elements`. */
export const elementsOf = getter(HTMLFormElement.prototype, "elements");
/** `form.action`. */
export const actionOf = getter(HTMLFormElement.prototype, "action");
/** `form.method`. */
export const methodOf = getter(HTMLFormElement.prototype, "method");
/** `form.noValidate`. */
export const isUnvalidated = getter(HTMLFormElement.prototype, "noValidate");
