import { read, REDACT } from "./names.js";

export type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Fields that are never read and never written: secrets, files, and what is not for people. */
const CLOSED = new Set(["password", "file", "hidden", "submit", "button", "image", "reset"]);

const SECRET = /\b(?:cc-\S+|current-password|new-password|one-time-code)\b/;

export const isField = (element: Element): element is Field =>
  element instanceof HTMLInputElement || element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement;

/** May the assistant know of it? */
export function isOpenField(field: Field): boolean {
  return !CLOSED.has(field.type) && !SECRET.test(field.autocomplete) && field.closest(`[${REDACT}]`) === null;
}

/** The fields of a form by name, in its order: several of one name where they are check boxes or radio buttons. */
export function fieldsOf(form: Element): Map<string, Field[]> {
  const elements =
    form instanceof HTMLFormElement || form instanceof HTMLFieldSetElement
      ? [...form.elements]
      : [...form.querySelectorAll("input, select, textarea")];
  const groups = new Map<string, Field[]>();
  for (const element of elements) {
    if (!isField(element) || element.name === "" || !isOpenField(element)) continue;
    const group = groups.get(element.name);
    if (group) group.push(element);
    else groups.set(element.name, [element]);
  }
  return groups;
}

/** What a field is called on screen. */
export function labelOf(field: Field): string | undefined {
  const label = [...(field.labels ?? [])].map((each) => ownText(each)).join(" ");
  const texts = [
    read(field, "data-pageside-description"),
    label,
    field.ariaLabel,
    read(field, "placeholder"),
    field.title,
  ];
  return texts.map((text) => text?.replace(/\s+/g, " ").trim()).find(Boolean);
}

/** A label's words without those of the fields inside it. */
function ownText(label: HTMLLabelElement): string {
  const copy = label.cloneNode(true) as HTMLElement;
  for (const field of copy.querySelectorAll("input, select, textarea, button")) field.remove();
  return copy.textContent;
}

/** The values of a form by name. */
export function valuesOf(form: Element): Record<string, unknown> {
  return Object.fromEntries([...fieldsOf(form)].map(([name, group]) => [name, valueOf(group)]));
}

/** The value of the fields of one name; null where no radio button is on. */
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
