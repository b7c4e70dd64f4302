/** Scripted user actions, with which the scenes are played. */

import { found } from "../../../packages/react/dev/panels.js";

/** Resolves after so many milliseconds. */
export const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** The first element that a selector finds, once it is there. */
export const one = (selector: string) => found(() => document.querySelector<HTMLElement>(selector), selector);

/** The button of the tray with these words on it, or as its name. */
export const button = (words: string) =>
  found(
    () =>
      [...document.querySelectorAll<HTMLElement>(".ps-root button")].find(
        (each) => each.textContent.trim() === words || each.ariaLabel === words,
      ),
    `the button "${words}"`,
  );

/** Types a text into the message box. */
export async function type(text: string): Promise<void> {
  const box = (await one(".ps-input")) as HTMLTextAreaElement;
  box.focus();
  for (const character of text) {
    document.execCommand("insertText", false, character);
    await pause(0);
  }
}

/** Presses a key where the focus is. */
export async function press(key: string, modifiers: KeyboardEventInit = {}): Promise<void> {
  await pause(60); // lists open with the next frame
  const target = document.activeElement ?? document.body;
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...modifiers }));
  await pause(0);
}

/** Types a message and sends it. */
export async function send(text: string): Promise<void> {
  await type(text);
  await press("Enter", { ctrlKey: true });
}

/** Adds files to the message. */
export async function attach(...files: File[]): Promise<void> {
  const input = (await one(".ps-root input[type=file]")) as HTMLInputElement;
  const transfer = new DataTransfer();
  for (const file of files) transfer.items.add(file);
  input.files = transfer.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
  await pause(250);
}
