import type { BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inLong } from "../../../../long.ts";
import { pageside, startProgram, type Program } from "../../../../scripts/program.mjs";
import type { Opened } from "../../../../scripts/stage.ts";
import { describeOn, type Data } from "./data.ts";
import { open, type DemoPage } from "./demo-page.ts";
import { DiscoverPage } from "./discover.ts";
import { Raw } from "./library.ts";
import { readLog, type Entry } from "./log.ts";
import { ResearchPage } from "./research.ts";

/** Starts the demo with the scripted model on a free port. What it shows is up to `flags`. */
export const startServer = (...flags: string[]): Promise<Program> =>
  startProgram(pageside, ["demo", "--listen", "127.0.0.1:0", "--model", "script/demo", ...flags]);

/** `it` for tests that are made of `Given`; `itOn.long` leaves one to the long version. */
export function itOnPages<Given extends unknown[]>(made: (...given: Given) => () => Promise<void>) {
  const itOn = (title: string, ...given: Given) => it(title, made(...given));
  return Object.assign(itOn, { long: (title: string, ...given: Given) => it(title, inLong, made(...given)) });
}

/** A server that shows the data, for the tests of a suite. */
export function served<Kind extends DemoPage>(data: Data, Page: new (opened: Opened) => Kind) {
  let server: Program;
  beforeAll(async () => {
    server = await startServer(...data.flags);
  });
  afterAll(() => server?.stop());
  return {
    /** The server's address. */
    url: () => server.url,
    /**
     * A test on a page of its own, of this server or of another one, on which the browser must have
     * nothing to complain about.
     */
    onPage:
      (path: string, test: (page: Kind) => Promise<void>, options?: BrowserContextOptions, its?: Program) =>
      async () => {
        const opened = await open(Page, (its ?? server).url + path, options);
        await test(opened);
        expect(opened.complaints).toEqual([]);
      },
  };
}

/** What the tests of Discover are given: all of it there once they run. */
export interface DiscoverSuite {
  readonly data: Data;
  readonly url: () => string;
  /** The log as this program reads it, to count in. */
  readonly log: readonly Entry[];
  /** As of `served`, by the search of the address. */
  readonly onPage: OnDiscover;
  readonly itOn: ReturnType<typeof itOnPages<Parameters<OnDiscover>>>;
}

type OnDiscover = ReturnType<typeof served<DiscoverPage>>["onPage"];

/** Tests of Discover, with one server for each of the data. */
export function describeDiscover(every: readonly Data[], title: string, tests: (suite: DiscoverSuite) => void): void {
  describeOn(every, title, (data) => {
    const log: Entry[] = [];
    beforeAll(() => void log.push(...readLog(data.log())));
    const { url, onPage } = served(data, DiscoverPage);
    const onDiscover: OnDiscover = (search, ...test) => onPage(`/${search}`, ...test);
    tests({ data, url, log, onPage: onDiscover, itOn: itOnPages(onDiscover) });
  });
}

type ResearchTest = (research: ResearchPage, raw: Raw) => Promise<void>;

/** What runs a test of Research on a page of its own, with the data as the API has them. */
export function researchWorld(data: Data) {
  const { url, onPage } = served(data, ResearchPage);
  const onResearch = (path: string, test: ResearchTest, options?: BrowserContextOptions) =>
    onPage(path, (research) => test(research, new Raw(url())), options);
  return { onPage: onResearch, itOn: itOnPages(onResearch) };
}
