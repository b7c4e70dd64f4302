/** What a page says about its assistant: on the script tag, or on a `<pageside-tray>` of its own. */
export interface Settings {
  /** Base URL of the server, without a slash at the end. */
  url: string;
  agent: string;
}

/** Attributes of `<pageside-tray>`; on the script tag each has `data-` in front of it. */
export const ATTRIBUTES = [
  "url",
  "agent",
  "theme",
  "layout",
  "side",
  "title",
  "page-name",
  "placeholder",
  "lang",
  "open",
] as const;

export type Attribute = (typeof ATTRIBUTES)[number];

/** The script tag that brought this module, by the module's own address. */
export function findScript(address: string): HTMLScriptElement | undefined {
  return [...document.querySelectorAll<HTMLScriptElement>("script[src]")].find((script) => script.src === address);
}

/** The server that the script came from: `https://a.example/base/pageside.js` is `https://a.example/base`. */
export function serverOf(address: string): string {
  return new URL(".", address).href.replace(/\/$/, "");
}

/** What an element says, and for what it leaves open, what the script tag says, and the server that the script came from. */
export function readSettings(element: Element | undefined, script: HTMLElement | undefined, address: string): Settings {
  const read = (name: Attribute) => element?.getAttribute(name) || script?.getAttribute(`data-${name}`);
  const url = read("url");
  return {
    url: url ? new URL(url, document.baseURI).href.replace(/\/$/, "") : serverOf(address),
    agent: read("agent") || "default",
  };
}
