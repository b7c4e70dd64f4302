import type { Browser, BrowserContextOptions, Page } from "playwright-core";

/** How long anything on the page may take, in milliseconds, also where the machine is busy. */
const patience = 20_000;

/** A page of the demo as a person uses it. */
export abstract class DemoPage {
  readonly page: Page;
  /** What the browser's console said beyond plain information, and errors nobody caught. */
  readonly complaints: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(error.message));
  }

  static async open<Kind extends DemoPage>(
    this: new (page: Page) => Kind,
    browser: Browser,
    url: string,
    options: BrowserContextOptions = {},
  ): Promise<Kind> {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      colorScheme: "light",
      reducedMotion: "reduce",
      ...options,
    });
    context.setDefaultTimeout(patience);
    const opened = new this(await context.newPage());
    await opened.page.goto(url);
    await opened.loaded();
    return opened;
  }

  close = () => this.page.context().close();

  /** Waits until nothing on the page is being loaded. */
  abstract loaded(): Promise<void>;
}
