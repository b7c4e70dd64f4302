import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { launch } from "../../../../scripts/chromium.mjs";
import type { Data } from "./data.ts";
import { explain } from "./failure.ts";
import { Raw } from "./library.ts";
import { ResearchPage } from "./research.ts";
import type { Program } from "../../../../scripts/program.mjs";
import { startServer } from "./server.ts";

export const shots = fileURLToPath(new URL("../../../../test-results/", import.meta.url));

/** A server with a library and a browser, for the tests of a suite. */
export function researchWorld(data: Data) {
  let server: Program;
  let browser: Browser;
  let raw: Raw;
  beforeAll(async () => {
    mkdirSync(shots, { recursive: true });
    server = await startServer(...data.flags);
    raw = new Raw(server.url);
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** Runs a test on a fresh page and then looks for complaints in the console. */
  return (
      path: string,
      test: (research: ResearchPage, raw: Raw) => Promise<void>,
      options: BrowserContextOptions = {},
    ) =>
    async () => {
      const research = await ResearchPage.open(browser, server.url + path, options);
      try {
        await test(research, raw);
        expect(research.complaints).toEqual([]);
      } catch (error) {
        throw await explain(error, research.page, research.complaints, `${shots}research-failed.png`);
      } finally {
        await research.close();
      }
    };
}
