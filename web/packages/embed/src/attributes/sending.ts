/** The target of a form that the assistant submits. */
import { actionOf, closest, elementsOf, methodOf } from "./dom.js";
import { isField, SECRET } from "./fields.js";
import { isSubmit, submitsOf, type Submit } from "./fill.js";
import type { Roots } from "./roots.js";

/**
 * Reports whether the tool sends a form by POST, to another address or with a secret or a file in
 * it, by any of the buttons it may press.
 */
export function mustAsk(element: HTMLElement, roots: Roots): boolean {
  if (element instanceof HTMLFormElement) {
    const buttons = submitsOf(element, roots);
    return buttons.length === 0 ? sends(element) : buttons.some((button) => sends(element, button));
  }
  const button = pressedBy(element);
  return button?.form ? sends(button.form, button) : false;
}

/** The button that a click on an element presses: itself, an ancestor, or the one it labels. */
export function pressedBy(element: HTMLElement): Submit | undefined {
  const control = closest(element, "button, input, label");
  const pressed = control instanceof HTMLLabelElement ? control.control : control;
  return pressed && isSubmit(pressed) ? pressed : undefined;
}

function sends(form: HTMLFormElement, button?: Submit): boolean {
  const method = button?.getAttribute("formmethod")?.toLowerCase() ?? methodOf(form);
  if (method === "post" || [...elementsOf(form)].some(isSecret)) return true;
  return method !== "dialog" && leads(addressOf(form, button));
}

/** Reports whether a field holds what only its owner may send, wherever it stands. */
const isSecret = (element: Element) =>
  isField(element) && (/^(?:password|file)$/.test(element.type) || SECRET.test(element.autocomplete));

/** The form's target; a button's empty address is the page's own. */
function addressOf(form: HTMLFormElement, button?: Submit): string {
  const stated = button?.getAttribute("formaction") ?? undefined;
  if (stated === undefined) return actionOf(form);
  return stated && URL.canParse(stated, button?.baseURI) ? new URL(stated, button?.baseURI).href : stated;
}

/** Reports whether an address leads away from the page, whatever its query. */
function leads(address: string): boolean {
  const to = URL.canParse(address, location.href) ? new URL(address, location.href) : undefined;
  return to?.origin !== location.origin || to.pathname !== location.pathname;
}
