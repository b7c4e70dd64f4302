// Says what failed, and one line at the end: what went well is silent.

/** The error of a test and what caused it, without what the test runner wraps around it. */
function why({ error }) {
  const said = [];
  for (let e = error?.cause ?? error; e; e = e.cause) said.push(String(e.stack ?? e.message ?? e));
  return said.join("\ncaused by ");
}

export default async function* report(events) {
  const counts = {};
  for await (const { type, data } of events) {
    if (type === "test:fail" && data.details.error?.failureType !== "subtestsFailed") {
      yield `✖ ${data.name} (${data.file})\n${why(data.details).replace(/^/gm, "    ")}\n\n`;
    } else if (type === "test:diagnostic") {
      const [, name, value] = /^(\w+) ([\d.]+)$/.exec(data.message) ?? [];
      counts[name] = Number(value);
    } else if (type === "test:stderr" || type === "test:stdout") {
      yield data.message;
    }
  }
  yield `stock clients: ${counts.pass} scenarios passed, ${counts.fail} failed, ${(counts.duration_ms / 1000).toFixed(1)} s\n`;
}
