import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { findChromium, launch } from "./chromium.ts";
import { DiscoverPage } from "./discover.ts";
import { explain } from "./failure.ts";
import { hasLog, logFile, readLog, type Entry } from "./log.ts";
import { startServer, type Server } from "./server.ts";

export const shots = fileURLToPath(new URL("../../../../test-results/", import.meta.url));

const chromiumPath = findChromium();

/** What the tests of a suite are given: all of it there once they run. */
export interface DiscoverSuite {
  readonly server: Server;
  readonly browser: Browser;
  /** The log as this program reads it, to count in. */
  readonly log: readonly Entry[];
  /** A test on a page of its own, on which the browser must have nothing to complain about. */
  onPage(search: string, test: (discover: DiscoverPage) => Promise<void>): () => Promise<void>;
}

/** Tests of Discover on the real log, with one server and one browser for all of them. A failure leaves a picture of that name. */
export function describeDiscover(title: string, picture: string, tests: (suite: DiscoverSuite) => void): void {
  describe.skipIf(!hasLog() || !chromiumPath)(title, () => {
    let server: Server;
    let browser: Browser;
    let log: Entry[];

    beforeAll(async () => {
      mkdirSync(shots, { recursive: true });
      log = readLog();
      server = await startServer(logFile);
      browser = await launch(chromiumPath!);
    });

    afterAll(async () => {
      await browser?.close();
      await server?.stop();
    });

    tests({
      get server() {
        return server;
      },
      get browser() {
        return browser;
      },
      get log() {
        return log;
      },
      onPage: (search, test) => async () => {
        const discover = await DiscoverPage.open(browser, `${server.url}/${search}`);
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
