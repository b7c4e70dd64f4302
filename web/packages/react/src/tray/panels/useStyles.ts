import type { RefObject } from "react";
import { useLayoutEffect } from "../../hooks/effects.js";

/** The sheets of each document: two documents cannot share one. */
const made = new WeakMap<Document, Map<string, CSSStyleSheet>>();

/**
 * Adds a style sheet to the document or the shadow root of an element, before the element is
 * painted. Uses no `<style>` element, which the page's Content-Security-Policy may refuse. The
 * sheet stays for the next time.
 */
export function useStyles(elementRef: RefObject<HTMLElement | null>, css: string): void {
  useLayoutEffect(() => {
    const element = elementRef.current;
    const root = element?.getRootNode() as Document | ShadowRoot | undefined;
    const sheet = element && sheetOf(element.ownerDocument, css);
    if (sheet && root?.adoptedStyleSheets && !root.adoptedStyleSheets.includes(sheet))
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  }, [elementRef, css]);
}

function sheetOf(document: Document, css: string): CSSStyleSheet | undefined {
  const sheets = made.get(document) ?? new Map<string, CSSStyleSheet>();
  made.set(document, sheets);
  let sheet = sheets.get(css);
  const { CSSStyleSheet } = document.defaultView ?? {};
  if (!sheet && CSSStyleSheet && "replaceSync" in CSSStyleSheet.prototype) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    sheets.set(css, sheet);
  }
  return sheet;
}
