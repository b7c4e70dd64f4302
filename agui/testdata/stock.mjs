// Plays sequences of events to the stock client and says what it makes of them. stdin: a JSON array
// of {history, events}; stdout: a JSON array of {refused, message, messages, state}: the index and
// message of the first event its verifier refuses (-1 for none), and what the events before that
// one fold into. It runs in the folder of the web packages, where @ag-ui/client is installed.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(process.cwd() + "/");
const { defaultApplyEvents, verifyEvents } = require("@ag-ui/client");
const { Subject, from, lastValueFrom, toArray } = createRequire(require.resolve("@ag-ui/client"))("rxjs");

console.warn = () => {};

function verify(events) {
  const source = new Subject();
  let failure;
  verifyEvents()(source).subscribe({ next() {}, error(e) { failure = e.message; } });
  for (let i = 0; i < events.length; i++) {
    source.next(events[i]);
    if (failure !== undefined) return { refused: i, message: failure };
  }
  return { refused: -1, message: "" };
}

async function fold(history, events) {
  const input = { threadId: "t", runId: "r", messages: history, state: {}, tools: [], context: [] };
  const mutations = await lastValueFrom(defaultApplyEvents(input, from(events), { messages: history }, []).pipe(toArray()));
  let messages = history;
  let state = {};
  for (const m of mutations) {
    if (m.messages !== undefined) messages = m.messages;
    if (m.state !== undefined) state = m.state;
  }
  return { messages, state };
}

const out = [];
for (const { history, events } of JSON.parse(readFileSync(0, "utf8"))) {
  const verdict = verify(events);
  const legal = verdict.refused < 0 ? events : events.slice(0, verdict.refused);
  out.push({ ...verdict, ...(await fold(history, legal)) });
}
process.stdout.write(JSON.stringify(out));
