// The inspector's command line, unmodified, against the real binary: over stdio and over HTTP.
// PAGESIDE_BIN is the binary; without it, it is built.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startProgram } from "../../scripts/program.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const inspector = fileURLToPath(new URL("../node_modules/.bin/mcp-inspector-cli", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "pageside-mcp-"));
const config = join(folder, "pageside.yaml");
let binary = process.env.PAGESIDE_BIN;
let server;

const rules = `name: test
rules:
  - match: "^count"
    steps: [{ text: "There are 18." }]
`;

before(async () => {
  if (!binary) {
    binary = join(folder, "pageside");
    execFileSync("go", ["build", "-o", binary, "./cmd/pageside"], { cwd: root });
  }
  writeFileSync(join(folder, "rules.yaml"), rules);
  writeFileSync(
    config,
    `dropIns: [mcp]\nagents:\n  - { id: default, description: Counts., model: script/${join(folder, "rules.yaml")} }\n`,
  );
  const store = `sqlite:${join(folder, "http.db")}`;
  server = await startProgram(binary, ["serve", "--config", config, "--listen", "127.0.0.1:0", "--store", store]);
});

after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
  assert.doesNotMatch(server.log(), /level=(WARN|ERROR)|panic/);
});

// The inspector takes flags of its own from the command that it starts: these are in the
// environment.
const stdio = () => [
  "-e",
  `PAGESIDE_CONFIG=${config}`,
  "-e",
  `PAGESIDE_STORE=sqlite:${join(folder, "stdio.db")}`,
  binary,
  "mcp",
];
const http = () => [`${server.url}/mcp`, "--transport", "http"];

async function inspect(target, ...flags) {
  const said = await promisify(execFile)(inspector, ["--cli", ...target, ...flags], { timeout: 60_000 });
  assert.doesNotMatch(said.stderr, /error|warn/i);
  return JSON.parse(said.stdout);
}

/** Asks the agent, with arguments such as `question=count`. */
const ask = (target, ...args) =>
  inspect(
    target,
    ...["--method", "tools/call", "--tool-name", "ask_default"],
    ...args.flatMap((arg) => ["--tool-arg", arg]),
  );

for (const [name, target] of [
  ["stdio", stdio],
  ["HTTP", http],
]) {
  test(`the inspector over ${name}`, async () => {
    const { tools } = await inspect(target(), "--method", "tools/list");
    assert.deepEqual(
      tools.map((tool) => tool.name),
      ["ask_default"],
    );
    assert.match(tools[0].description, /Counts\./);
    assert.deepEqual(tools[0].inputSchema.required, ["question"]);
    const first = await ask(target(), "question=count");
    assert.deepEqual(first.content, [{ type: "text", text: "There are 18." }]);
    const { threadId } = first.structuredContent;
    const second = await ask(target(), "question=count again", `threadId=${threadId}`);
    assert.equal(second.structuredContent.threadId, threadId);
    const wrong = await ask(target(), "question=count", "threadId=other");
    assert.equal(wrong.isError, true);
    assert.match(wrong.content[0].text, /threadId: there is no such conversation/);
  });
}
