// Compares AppendProto with the stock package. stdin: a JSON array of {event, frame}: an event, and
// its frame in hex; stdout: a JSON array of {encoded, decoded, warned}: what the stock package
// encodes the event as, in hex without a length, what it decodes the frame to, and whether it
// warned. It runs in the folder of the web packages, where @ag-ui/proto is installed.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const { encode, decode } = createRequire(process.cwd() + "/")("@ag-ui/proto");

let warned = "";
console.warn = (text) => (warned += text);

const out = [];
for (const { event, frame } of JSON.parse(readFileSync(0, "utf8"))) {
  warned = "";
  const bytes = Buffer.from(frame, "hex");
  if (bytes.readUInt32BE() !== bytes.length - 4) throw new Error("a frame has a wrong length");
  const decoded = decode(new Uint8Array(bytes.subarray(4)));
  out.push({ encoded: Buffer.from(encode(event)).toString("hex"), decoded, warned });
}
process.stdout.write(JSON.stringify(out));
