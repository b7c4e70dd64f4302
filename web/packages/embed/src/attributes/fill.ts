import { contains, elementsOf, isUnvalidated, requestSubmit } from "./dom.js";
import { controlsOf, fieldsOf, isField, labelOf, type Field } from "./fields.js";
import type { Roots } from "./roots.js";

/**
 * Fills a form as a person would, with change events for every field. Other fields stay as they
 * are.
 */
export function fill(form: Element, args: Readonly<Record<string, unknown>>, roots: Roots): void {
  const fields = fieldsOf(form, roots);
  for (const [name, value] of Object.entries(args)) {
    const group = fields.get(name)?.filter(({ disabled }) => !disabled);
    if (!group?.length) throw new Error(`The form has no field "${name}" now.`);
    fillGroup(group, value);
  }
}

function fillGroup(group: readonly Field[], value: unknown): void {
  const [first] = group as [Field];
  if (first instanceof HTMLSelectElement) return select(first, value);
  if (!(first instanceof HTMLInputElement) || !/^(?:checkbox|radio)$/.test(first.type))
    return write(first, String(value));
  const wanted = (input: HTMLInputElement) =>
    typeof value === "boolean" ? value : Array.isArray(value) ? value.includes(input.value) : input.value === value;
  for (const input of group as readonly HTMLInputElement[]) {
    // Clicks, because frameworks listen to clicks, and they switch other radio buttons off.
    if (input.checked !== wanted(input) && (input.type === "checkbox" || wanted(input))) input.click();
  }
}

function select(field: HTMLSelectElement, value: unknown): void {
  if (!field.multiple) return write(field, String(value));
  const values = Array.isArray(value) ? value.map(String) : [String(value)];
  for (const option of field.options) option.selected = values.includes(option.value);
  announce(field);
}

/** Sets the value with the native setter: a framework that replaced it then notices the change. */
function write(field: Field, value: string): void {
  const prototype = Object.getPrototypeOf(field) as Field;
  Object.getOwnPropertyDescriptor(prototype, "value")!.set!.call(field, value);
  announce(field);
}

function announce(field: Field): void {
  for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
}

/** Submits a form as its first button would. Throws the browser's message if validation fails. */
export function submit(form: HTMLFormElement, roots: Roots): void {
  const elements = [...elementsOf(form)];
  if (elements.some((each) => !contains(form, each) && !roots.covers(each)))
    throw new Error("The form cannot be submitted: something outside of the page's own parts belongs to it.");
  if (!isUnvalidated(form)) validate(elements, roots);
  const buttons = submitsOf(form, roots);
  const button = buttons.find((each) => !each.matches(":disabled"));
  if (buttons.length > 0 && !button) throw new Error("The form cannot be submitted now: its button is disabled.");
  requestSubmit(form, button);
}

/** A button that submits a form. */
export type Submit = HTMLButtonElement | HTMLInputElement;

/** The buttons that submit a form. */
export function submitsOf(form: HTMLFormElement, roots: Roots): Submit[] {
  return controlsOf(form, roots).filter(isSubmit);
}

/** Reports whether an element is such a button. */
export const isSubmit = (element: Element): element is Submit =>
  (element instanceof HTMLButtonElement && element.type === "submit") ||
  (element instanceof HTMLInputElement && /^(?:submit|image)$/.test(element.type));

function validate(elements: readonly Element[], roots: Roots): void {
  const wrong = elements.filter((field): field is Field => isField(field) && !field.checkValidity());
  if (wrong.length === 0) return;
  const words = wrong.map((field) => `${nameOf(field, roots)}: ${field.validationMessage}`);
  throw new Error(`The form does not take this. ${words.join(" ")}`);
}

/** The model is not told the names of fields outside of the roots. */
const nameOf = (field: Field, roots: Roots) =>
  roots.covers(field) ? field.name || labelOf(field, roots) || field.type : "a field that is not yours";
