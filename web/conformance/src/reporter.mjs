// Says what failed and what was skipped, and one line at the end: what went well is silent.
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { note } from "../../scripts/skipped.mjs";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

/** The error of a test and what caused it, without what the test runner wraps around it. */
function why({ error }) {
  const said = [];
  for (let e = error?.cause ?? error; e; e = e.cause) said.push(String(e.stack ?? e.message ?? e));
  return said.join("\ncaused by ");
}

export default async function* report(events) {
  const counts = {};
  const skips = [];
  for await (const { type, data } of events) {
    if (type === "test:fail" && data.details.error?.failureType !== "subtestsFailed") {
      yield `✖ ${data.name} (${data.file})\n${why(data.details).replace(/^/gm, "    ")}\n\n`;
    } else if (type === "test:pass" && data.skip !== undefined) {
      const reason = typeof data.skip === "string" && data.skip ? data.skip : "no reason given";
      skips.push({ where: relative(repository, data.file), test: data.name, reason });
      yield `skipped: ${data.name}: ${reason}\n`;
    } else if (type === "test:diagnostic") {
      const [, name, value] = /^(\w+) ([\d.]+)$/.exec(data.message) ?? [];
      counts[name] = Number(value);
    } else if (type === "test:stderr" || type === "test:stdout") {
      yield data.message;
    }
  }
  note(skips);
  yield `stock clients: ${counts.pass} scenarios passed, ${counts.fail} failed, ${(counts.duration_ms / 1000).toFixed(1)} s\n`;
}
