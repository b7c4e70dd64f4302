import type { FrontendTool, JsonSchema } from "@pageside/core";
import type { Page } from "../page.js";
import type { Declaration } from "./declared.js";
import { departing } from "./departures.js";
import { fill, submit } from "./fill.js";
import { CONFIRM, DESCRIPTION, DESTRUCTIVE, read, RESULT, TOOL } from "./names.js";
import { doAndRead } from "./outcome.js";
import { readText } from "./read.js";
import { schemaOf } from "./schema.js";

const NOTHING: JsonSchema = { type: "object", properties: {}, additionalProperties: false };

/** A form that the assistant may fill in and submit, or a button that it may press. */
export function declareTool(element: Element, { client }: Page): Declaration | undefined {
  const name = read(element, TOOL);
  if (!name || !(element instanceof HTMLElement)) return undefined;
  const form = element instanceof HTMLFormElement ? element : undefined;
  const description = read(element, DESCRIPTION) ?? wordsOf(element);
  const parameters = form ? schemaOf(form) : NOTHING;
  const confirm = element.hasAttribute(CONFIRM) ? (read(element, CONFIRM) ?? true) : undefined;
  const destructive = element.hasAttribute(DESTRUCTIVE);
  const result = read(element, RESULT);
  const tool: FrontendTool<Record<string, unknown>> = {
    name,
    description,
    parameters,
    requiresConfirmation: confirm,
    destructive,
    exclusive: true, // two hands in one form
    handler: (args, { toolCallId, signal }) => {
      const act = () => (form ? fillAndSubmit(form, args) : press(element));
      return departing({ id: toolCallId, tool: name, result }, () => doAndRead(act, result, signal));
    },
  };
  return {
    key: JSON.stringify(["tool", name, description, parameters, confirm, destructive, result]),
    register: () => client.registerTool(tool),
  };
}

function fillAndSubmit(form: HTMLFormElement, args: Record<string, unknown>): void {
  fill(form, args);
  submit(form);
}

function press(element: HTMLElement): void {
  if (element.matches(":disabled, [aria-disabled='true']"))
    throw new Error("The button cannot be pressed now: it is disabled.");
  element.click();
}

/** What a tool is called on screen, where nothing else says what it does. */
function wordsOf(element: HTMLElement): string {
  const title = element instanceof HTMLFormElement ? element.querySelector("legend, h1, h2, h3, h4") : element;
  const words = element.ariaLabel ?? (title ? readText(title).replace(/\s+/g, " ") : "");
  const what =
    element instanceof HTMLFormElement ? "Fills in and submits a form of the page" : "Presses a button of the page";
  return words ? `${what}: ${words}` : what;
}
