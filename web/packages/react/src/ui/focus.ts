/** The element with the focus. Inside a shadow root, `document.activeElement` is only its host. */
export function focusedIn(node: Node | null | undefined): Element | null {
  const root = node?.getRootNode() as Partial<Document | ShadowRoot> | undefined;
  return root?.activeElement ?? document.activeElement;
}

/** Reports whether the focus is in an element. */
export function holdsFocus(element: Element | null | undefined): boolean {
  return element?.contains(focusedIn(element)) ?? false;
}
