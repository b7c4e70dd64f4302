// Decodes frames as the stock decoder of version 0.x does. stdin: a JSON array of messages in hex,
// without their lengths; stdout: a JSON array of {event} or {error}. It runs in the folder of the
// web packages, where ag-ui-client-0 is installed.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const { decode } = createRequire(process.cwd() + "/node_modules/ag-ui-client-0/")("@ag-ui/proto");

const out = JSON.parse(readFileSync(0, "utf8")).map((message) => {
  try {
    return { event: decode(new Uint8Array(Buffer.from(message, "hex"))) };
  } catch (error) {
    return { error: String(error.message) };
  }
});
process.stdout.write(JSON.stringify(out));
