// What a client says to the console is what its users would see there.
import assert from "node:assert/strict";

/** Does the work, and fails when anything warns of something meanwhile. */
export async function quiet(work) {
  const said = [];
  const original = { warn: console.warn, error: console.error };
  const warned = (warning) => said.push(String(warning));
  console.warn = (...args) => void said.push(args.map(String).join(" "));
  console.error = console.warn;
  process.on("warning", warned);
  try {
    await work();
    await new Promise(setImmediate); // warnings of the process come late
  } finally {
    Object.assign(console, original);
    process.off("warning", warned);
  }
  assert.deepEqual(said, [], "the client warned");
}
