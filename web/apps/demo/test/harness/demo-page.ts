import type { Browser, BrowserContextOptions, Page, Request } from "playwright-core";
import { expect } from "vitest";
import { complaintsOf } from "./console.ts";

/** How long anything on the page may take, in milliseconds: a guard, not a measure. */
export const patience = 180_000;

/** A page of the demo as a person uses it. */
export abstract class DemoPage {
  readonly page: Page;
  /** What the browser's console said beyond plain information, and errors nobody caught. */
  readonly complaints: string[];
  /** The parts of the application that are on their way. */
  readonly #parts = new Set<Request>();

  constructor(page: Page) {
    this.page = page;
    this.complaints = complaintsOf(page);
    const isPart = (request: Request) => request.resourceType() === "script";
    page.on("request", (request) => isPart(request) && this.#parts.add(request));
    for (const name of ["requestfinished", "requestfailed"] as const)
      page.on(name as "requestfinished", (request) => this.#parts.delete(request));
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

  /** Waits until the browser has told of a request that was refused, once, and of nothing else. */
  async complained(status: string): Promise<void> {
    await expect.poll(() => this.complaints).toEqual([expect.stringContaining(status)]);
    this.complaints.length = 0;
  }

  /**
   * Waits until a question is the last one, its answer has ended, and the page shows what came of
   * it.
   */
  protected async ended(question: string): Promise<void> {
    const log = this.page.getByRole("log");
    await log.locator(".ps-bubble").last().filter({ hasText: question }).waitFor();
    await this.idle();
    await this.loaded();
    await this.drawn();
  }

  /**
   * Waits until the page has the parts of the application that it asked for, and has drawn them.
   */
  async drawn(): Promise<void> {
    const frames = () =>
      this.page.evaluate(async () => {
        for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
      });
    await frames();
    for (const end = Date.now() + patience; this.#parts.size > 0; await frames()) {
      const missing = [...this.#parts].map((part) => part.url()).join(" ");
      if (Date.now() > end) throw new Error(`the page still waits for ${missing}`);
    }
  }

  /** Waits until no answer is being written. */
  async idle(): Promise<void> {
    await this.page.locator("[role=log][aria-busy=false]").waitFor();
  }
}
