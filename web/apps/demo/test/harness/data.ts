import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe } from "vitest";
import { isLong, onlyLong } from "../../../../long.ts";
import { pageside } from "../../../../scripts/program.mjs";
import { chromium } from "../../../../scripts/stage.ts";

/** What the demo shows in a test. */
export interface Data {
  /** As titles of tests have it. */
  readonly name: string;
  /** What `pageside demo` is started with to show it. */
  readonly flags: readonly string[];
  /** The access log as text, to count in. */
  log(): string;
}

/** What the demo generates, and shows whoever has nothing else. */
export const generated: Data = {
  name: "generated data",
  flags: [],
  log: () => execFileSync(pageside, ["demo", "--print-log"], { encoding: "utf8", maxBuffer: 1 << 26 }),
};

const beside = (name: string) => fileURLToPath(new URL(`../../../../../../shared/data/${name}`, import.meta.url));
const files = {
  log: beside("apache_access.log.gz"),
  articles: beside("aml_articles.jsonl.gz"),
  trials: beside("aml_trials.csv.gz"),
};

/**
 * A real server's log, and real articles and trials. They lie beside the repository and are not
 * part of it.
 */
export const real: Data = {
  name: "real data",
  flags: Object.entries(files).flatMap(([flag, file]) => [`--${flag}`, file]),
  log: () => gunzipSync(readFileSync(files.log)).toString("utf8"),
};

/** The same, for tests of what pages look like, which the long version plays too. */
export const looks: Data = { ...generated };

/**
 * The colour schemes in which something is looked at now: `make test` looks at the little that it
 * has in light, the long version at that in dark, and at all else in both.
 */
export function schemes(isShort = false): readonly ("light" | "dark")[] {
  if (isShort) return isLong ? ["dark"] : ["light"];
  return isLong ? ["light", "dark"] : [];
}

/**
 * For tests that depend on what is shown; the others need the generated data alone. `make test`
 * plays them with the generated data, and the long version with the real data.
 */
export const both = [generated, real];

/**
 * Tests that are played with each of the data. Where some are missing, the tests are skipped and
 * counted. The long version plays only what the short one left out.
 */
export function describeOn(every: readonly Data[], title: string, tests: (data: Data) => void): void {
  for (const data of every.filter((each) => !isLong || each === real || each === looks)) {
    const skipped = whyNot(data);
    describe(`${title}, ${data.name}`, { skip: skipped !== undefined, meta: { skipped } }, () => tests(data));
  }
}

function whyNot(data: Data): string | undefined {
  if (!chromium) return "no Chromium";
  if (data === real && !isLong) return onlyLong;
  if (data === real && !Object.values(files).every((file) => existsSync(file)))
    return "no real data beside the repository";
  return undefined;
}
