import type { BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { settled, watch } from "../../../../scripts/browser.mjs";
import { visit, type Opened } from "../../../../scripts/stage.ts";

/** A page of the demo as a person uses it. */
export abstract class DemoPage {
  readonly page: Page;
  /** What the browser's console said beyond plain information, and errors nobody caught. */
  readonly complaints: string[];
  readonly close: () => Promise<void>;

  constructor({ page, complaints, close }: Opened) {
    this.page = page;
    this.complaints = complaints;
    this.close = close;
  }

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
    await settled(this.page);
  }

  /** Waits until no answer is being written. */
  async idle(): Promise<void> {
    await this.page.locator("[role=log][aria-busy=false]").waitFor();
  }
}

/** Opens an address until the end of the test; with `openPage`, until the page is closed. */
export async function open<Kind extends DemoPage>(
  Page: new (opened: Opened) => Kind,
  url: string,
  options: BrowserContextOptions = {},
  how = visit,
): Promise<Kind> {
  const opened = await how(url, {
    viewport: { width: 1440, height: 900 },
    colorScheme: "light",
    reducedMotion: "reduce",
    ...options,
    prepare: async (page) => watch(page, "script"),
  });
  const its = new Page(opened);
  await its.loaded();
  return its;
}
