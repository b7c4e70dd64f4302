import { allOfPage } from "./attributes/dom.js";

/** The settings of a page's assistant, from the script tag or a `<pageside-tray>`. */
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
  "voice",
  "lang",
  "open",
] as const;

/** The name of one of them. */
export type Attribute = (typeof ATTRIBUTES)[number];

/** The values of those that are a choice. */
export const CHOICES = {
  theme: ["auto", "light", "dark"],
  layout: ["docked", "overlay", "popup", "full", "inline"],
  side: ["start", "end"],
  voice: ["on", "off"],
} as const;

/** The script tag that brought this module, by the module's own address. */
export function findScript(address: string): HTMLScriptElement | undefined {
  const scripts = allOfPage("script[src]") as HTMLScriptElement[];
  return scripts.find((script) => script.src === address);
}

/**
 * The server that the script came from: `https://a.example/base/pageside.js` is
 * `https://a.example/base`.
 */
function serverOf(address: string): string {
  return new URL(".", address).href.replace(/\/$/, "");
}

/**
 * The element's settings; by default the script tag's, and the server that the script came from.
 */
export function readSettings(element: Element | undefined, script: HTMLElement | undefined, address: string): Settings {
  const standard = { url: serverOf(address), agent: "default", user: "" };
  const ofScript = script ? settingsOf(script, standard, "data-") : standard;
  return element ? settingsOf(element, ofScript) : ofScript;
}

/** The element's settings, by default `others`. */
export function settingsOf(element: Element, others: Settings, prefix: "" | "data-" = ""): Settings {
  const read = (name: Attribute) => element.getAttribute(prefix + name);
  const url = read("url");
  return {
    url: url ? new URL(url, document.baseURI).href.replace(/\/$/, "") : others.url,
    agent: read("agent") || others.agent,
    user: read("user") || others.user,
  };
}
