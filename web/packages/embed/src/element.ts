import type { PagesideClient } from "@pageside/core";
import type { AssistantTrayProps, TrayLabels } from "@pageside/react/tray";
import { createElement } from "react";
import { createRoot, type Root } from "react-dom/client";
import css from "pageside:tray.css";
import { isIgnored } from "./attributes/names.js";
import type { Page } from "./page.js";
import { ATTRIBUTES, CHOICES, settingsOf, type Attribute } from "./settings.js";
import { Tray } from "./Tray.js";

/** The element has no box and inherits only the page's direction and custom properties. */
const HOST = ":host { all: initial !important; display: contents !important }";

/** A page that sets the accent around the element means the tray. */
const ACCENT = ".ps-root { --ps-accent: inherit }";

const sheetOf = (text: string) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return sheet;
};

/** The style sheets that all trays of a page share. */
interface Sheets {
  always: readonly CSSStyleSheet[];
  /** Only where the page sets an accent. */
  accent: CSSStyleSheet;
}

/** The element's name. */
export const NAME = "pageside-tray";

/** `<pageside-tray>` for one page. */
export function defineElement(page: Page): void {
  const sheets = { always: [sheetOf(css), sheetOf(HOST)], accent: sheetOf(ACCENT) };
  customElements.define(
    NAME,
    class extends TrayElement {
      constructor() {
        super(page, sheets);
      }
    },
  );
}

class TrayElement extends HTMLElement {
  static readonly observedAttributes = ATTRIBUTES;

  readonly #page: Page;
  readonly #sheets: Sheets;
  readonly #shadow = this.attachShadow({ mode: "open" });
  #root: Root | undefined;
  #labels: Partial<TrayLabels> | undefined;
  #isOpen = false;
  #setOpen: ((open: boolean) => void) | undefined;
  /** Whether to open, requested before the tray was ready. */
  #asked: boolean | undefined;

  constructor(page: Page, sheets: Sheets) {
    super();
    this.#page = page;
    this.#sheets = sheets;
  }

  /** The assistant that the tray shows. */
  get client(): PagesideClient {
    return this.#page.clientFor(settingsOf(this, this.#page.settings));
  }

  send(text: string): Promise<void> {
    this.open();
    return this.client.send(text);
  }

  open(): void {
    this.#ask(true);
  }

  close(): void {
    this.#ask(false);
  }

  #ask(open: boolean): void {
    this.#asked = open;
    this.toggleAttribute("open", open);
  }

  connectedCallback(): void {
    const { always, accent } = this.#sheets;
    const isBranded = getComputedStyle(this).getPropertyValue("--ps-accent").trim() !== "";
    const brought = this.#shadow.adoptedStyleSheets.filter((sheet) => sheet !== accent && !always.includes(sheet));
    this.#shadow.adoptedStyleSheets = [...always, ...(isBranded ? [accent] : []), ...brought];
    void this.#draw();
  }

  disconnectedCallback(): void {
    // An element that is moved is connected again at once and continues.
    setTimeout(() => {
      if (this.isConnected) return;
      this.#root?.unmount();
      this.#root = this.#setOpen = undefined;
    });
  }

  attributeChangedCallback(name: Attribute): void {
    if (name === "open") this.#setOpen?.(this.hasAttribute("open"));
    else if (this.isConnected) void this.#draw();
  }

  async #draw(): Promise<void> {
    const isGerman = (this.#read("lang") ?? document.documentElement.lang).toLowerCase().startsWith("de");
    this.#labels = isGerman ? (await import("./german.js")).german : undefined;
    if (!this.isConnected || isIgnored(this)) return;
    this.#root ??= createRoot(this.#shadow);
    this.#root.render(
      createElement(Tray, {
        page: this.#page,
        client: this.client,
        onOpen: this.#onOpen,
        ...this.#props(),
        labels: this.#labels,
      }),
    );
  }

  #props(): AssistantTrayProps {
    return {
      theme: oneOf(this.#read("theme"), CHOICES.theme),
      layout: oneOf(this.#read("layout"), CHOICES.layout),
      side: oneOf(this.#read("side"), CHOICES.side),
      title: this.#read("title"),
      pageName: this.#read("page-name"),
      placeholder: this.#read("placeholder"),
      voice: this.#read("voice") !== "off",
      defaultOpen: this.hasAttribute("open") || this.#page.defaults?.hasAttribute("data-open"),
    };
  }

  #read(name: Attribute): string | undefined {
    return this.getAttribute(name) ?? this.#page.defaults?.getAttribute(`data-${name}`) ?? undefined;
  }

  readonly #onOpen = (isOpen: boolean, setOpen: (open: boolean) => void) => {
    const isFirst = this.#setOpen === undefined;
    this.#setOpen = setOpen;
    if (isFirst) {
      if (this.#asked !== undefined) setOpen(this.#asked);
      // The tray is about to restore the state of the last visit.
      setTimeout(() => this.toggleAttribute("open", this.#isOpen));
    } else {
      this.toggleAttribute("open", isOpen);
    }
    if (this.#isOpen === isOpen) return;
    this.#isOpen = isOpen;
    this.dispatchEvent(new CustomEvent(isOpen ? "pageside-open" : "pageside-close", { bubbles: true, composed: true }));
  };
}

function oneOf<Value extends string>(value: string | undefined, values: readonly Value[]): Value | undefined {
  return values.find((each) => each === value);
}
