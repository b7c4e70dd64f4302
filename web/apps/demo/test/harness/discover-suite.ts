import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { launch } from "../../../../scripts/chromium.mjs";
import { describeOn, type Data } from "./data.ts";
import { DiscoverPage } from "./discover.ts";
import { explain } from "./failure.ts";
import { readLog, type Entry } from "./log.ts";
import type { Program } from "../../../../scripts/program.mjs";
import { startServer } from "./server.ts";

export const shots = fileURLToPath(new URL("../../../../test-results/", import.meta.url));

/** What the tests of a suite are given: all of it there once they run. */
export interface DiscoverSuite {
  readonly data: Data;
  readonly server: Program;
  readonly browser: Browser;
  /** The log as this program reads it, to count in. */
  readonly log: readonly Entry[];
  /** A test on a page of its own, on which the browser must have nothing to complain about. */
  onPage(
    search: string,
    test: (discover: DiscoverPage) => Promise<void>,
    options?: BrowserContextOptions,
    its?: Program,
  ): () => Promise<void>;
}

/**
 * Tests of Discover, with one server and one browser for each of the data. A failure leaves a
 * picture of that name.
 */
export function describeDiscover(
  every: readonly Data[],
  title: string,
  picture: string,
  tests: (suite: DiscoverSuite) => void,
): void {
  describeOn(every, title, (data) => {
    let server: Program;
    let browser: Browser;
    let log: Entry[];

    beforeAll(async () => {
      mkdirSync(shots, { recursive: true });
      log = readLog(data.log());
      server = await startServer(...data.flags);
      browser = await launch();
    });

    afterAll(async () => {
      await browser?.close();
      await server?.stop();
    });

    tests({
      data,
      get server() {
        return server;
      },
      get browser() {
        return browser;
      },
      get log() {
        return log;
      },
      onPage: (search, test, options, its) => async () => {
        const discover = await DiscoverPage.open(browser, `${(its ?? server).url}/${search}`, options);
        try {
          await test(discover);
          expect(discover.complaints).toEqual([]);
        } catch (error) {
          throw await explain(error, discover.page, discover.complaints, `${shots}${picture}.png`);
        } finally {
          await discover.close();
        }
      },
    });
  });
}
