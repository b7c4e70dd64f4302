import type { RefObject } from "react";
import { useLayoutEffect } from "../../hooks/effects.js";

/** By document: a sheet cannot be shared between two. */
const made = new WeakMap<Document, Map<string, CSSStyleSheet>>();

/**
 * Gives the document, or the shadow root, that an element stands in a style sheet, before the
 * element is painted. It is no `<style>` element, which the page's Content-Security-Policy may
 * refuse. It stays for the next time.
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
