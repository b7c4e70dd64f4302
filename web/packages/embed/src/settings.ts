import { allOfPage } from "./attributes/dom.js";

/**
 * What a page says about its assistant: on the script tag, or on a `<pageside-tray>` of its own.
 */
export interface Settings {
  /** Base URL of the server, without a slash at the end. */
  url: string;
  agent: string;
  /** Who is signed in; empty if the page does not say. */
  user: string;
}

/** Attributes of `<pageside-tray>`; on the script tag each has `data-` in front of it. */
export const ATTRIBUTES = [
  "url",
  "agent",
  "user",
  "theme",
  "layout",
  "side",
  "title",
  "page-name",
  "placeholder",
  "lang",
  "open",
] as const;

/** The name of one of them. */
export type Attribute = (typeof ATTRIBUTES)[number];

/** The script tag that brought this module, by the module's own address. */
export function findScript(address: string): HTMLScriptElement | undefined {
  const scripts = allOfPage("script[src]") as HTMLScriptElement[];
  return scripts.find((script) => script.src === address);
}

/**
 * The server that the script came from: `https://a.example/base/pageside.js` is
 * `https://a.example/base`.
 */
export function serverOf(address: string): string {
  return new URL(".", address).href.replace(/\/$/, "");
}

/**
 * What an element says, and for what it leaves open, what the script tag says, and the server that
 * the script came from.
 */
export function readSettings(element: Element | undefined, script: HTMLElement | undefined, address: string): Settings {
  const standard = { url: serverOf(address), agent: "default", user: "" };
  const ofScript = script ? settingsOf(script, standard, "data-") : standard;
  return element ? settingsOf(element, ofScript) : ofScript;
}

/** What an element says, and `others` for what it leaves open. */
export function settingsOf(element: Element, others: Settings, prefix: "" | "data-" = ""): Settings {
  const read = (name: Attribute) => element.getAttribute(prefix + name);
  const url = read("url");
  return {
    url: url ? new URL(url, document.baseURI).href.replace(/\/$/, "") : others.url,
    agent: read("agent") || others.agent,
    user: read("user") || others.user,
  };
}
