import { allBelow, closest, elementsOf } from "./dom.js";
import { CLOSED, DESCRIPTION, read } from "./names.js";
import type { Roots } from "./roots.js";

/** A field of a form. */
export type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Fields that are never read or written: secrets, files and hidden ones. */
const CLOSED_TYPES = new Set(["password", "file", "hidden", "submit", "button", "image", "reset"]);

/** Values of `autocomplete` for passwords, codes and cards. */
export const SECRET = /\b(?:cc-\S+|current-password|new-password|one-time-code)\b/;

/** Reports whether an element is a field. */
export const isField = (element: Element): element is Field =>
  element instanceof HTMLInputElement || element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement;

/** Reports whether the assistant may know of the field. */
export function isOpenField(field: Field): boolean {
  return !CLOSED_TYPES.has(field.type) && !SECRET.test(field.autocomplete) && closest(field, CLOSED) === null;
}

/**
 * The fields and buttons of a form that are in a root, in its order. User content can join by
 * `form="…"`.
 */
export function controlsOf(form: Element, roots: Roots): Element[] {
  const all =
    form instanceof HTMLFormElement || form instanceof HTMLFieldSetElement
      ? [...elementsIn(form)]
      : allBelow(form, "input, select, textarea");
  return all.filter((element) => roots.covers(element));
}

const elementsIn = (form: HTMLFormElement | HTMLFieldSetElement) =>
  form instanceof HTMLFormElement ? elementsOf(form) : form.elements;

/** The open fields of a form by name, in its order. Check boxes and radio buttons may share one. */
export function fieldsOf(form: Element, roots: Roots): Map<string, Field[]> {
  const groups = new Map<string, Field[]>();
  for (const element of controlsOf(form, roots)) {
    if (!isField(element) || element.name === "" || !isOpenField(element)) continue;
    const group = groups.get(element.name);
    if (group) group.push(element);
    else groups.set(element.name, [element]);
  }
  return groups;
}

/** A field's name on screen. */
export function labelOf(field: Field, roots: Roots): string | undefined {
  const labels = [...(field.labels ?? [])].filter((label) => roots.covers(label) && closest(label, CLOSED) === null);
  const label = labels.map((each) => ownText(each)).join(" ");
  const texts = [read(field, DESCRIPTION), label, field.ariaLabel, read(field, "placeholder"), field.title];
  return texts.map((text) => text?.replace(/\s+/g, " ").trim()).find(Boolean);
}

/** A label's text, without fields inside it and unread elements. */
function ownText(label: HTMLLabelElement): string {
  const copy = label.cloneNode(true) as HTMLElement;
  for (const field of copy.querySelectorAll(`input, select, textarea, button, ${CLOSED}`)) field.remove();
  return copy.textContent;
}

/** The values of a form by name. */
export function valuesOf(form: Element, roots: Roots): Record<string, unknown> {
  return Object.fromEntries([...fieldsOf(form, roots)].map(([name, group]) => [name, valueOf(group)]));
}

/** The value of the fields of one name; null if no radio button is on. */
export function valueOf(group: readonly Field[]): unknown {
  const [first] = group as [Field];
  if (first instanceof HTMLSelectElement && first.multiple) return [...first.selectedOptions].map(({ value }) => value);
  if (!(first instanceof HTMLInputElement)) return first.value;
  const inputs = group as readonly HTMLInputElement[];
  if (first.type === "radio") return inputs.find(({ checked }) => checked)?.value ?? null;
  if (first.type === "checkbox" && inputs.length === 1) return first.checked;
  if (first.type === "checkbox") return inputs.filter(({ checked }) => checked).map(({ value }) => value);
  if (inputs.length > 1) return inputs.map(({ value }) => value);
  return first.value;
}
