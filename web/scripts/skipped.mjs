// A reporter for vitest: says which tests were skipped, and why. Where PAGESIDE_SKIPPED names a
// folder it is noted there, for the end of `make test`: see test/skipped.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../..", import.meta.url));

export default class Skipped {
  onTestRunEnd(modules) {
    const skips = modules.flatMap((module) => Array.from(module.children.allTests("skipped"), describe));
    note(skips);
    tell(skips);
  }
}

/** One that did not run, as test/skipped reads it. */
function describe(test) {
  return { where: relative(repository, test.module.moduleId), test: test.fullName, reason: reasonOf(test) };
}

/**
 * What the test said when it skipped itself, or what it or a suite around it has as `meta.skipped`.
 */
function reasonOf(test) {
  const { note } = test.result();
  if (note) return note;
  for (let task = test; task.type !== "module"; task = task.parent) {
    const { skipped } = task.meta();
    if (skipped) return skipped;
  }
  return "no reason given";
}

export function note(skips) {
  const folder = process.env.PAGESIDE_SKIPPED;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  // A suite has several runs: the process tells them apart.
  writeFileSync(join(folder, `${process.pid}.jsonl`), skips.map((skip) => `${JSON.stringify(skip)}\n`).join(""));
}

function tell(skips) {
  for (const [reason, its] of group(skips, "reason")) {
    const files = group(its, "where").map(([file, { length }]) => `${file} (${length})`);
    console.log(`skipped ${its.length}: ${reason}: ${files.join(", ")}`);
  }
}

/** Those with the same `member` together. */
function group(skips, member) {
  const groups = new Map();
  for (const skip of skips) groups.set(skip[member], [...(groups.get(skip[member]) ?? []), skip]);
  return [...groups];
}
