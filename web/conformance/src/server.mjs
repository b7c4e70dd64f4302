// Starts the real server, with the scripted model, for the tests.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const binary = process.env.PAGESIDE_CONFORMANCE_BIN ?? join(here, "../../../bin/pageside-conformance");

/** Starts a server with a store of its own; `url` is its address. */
export async function startServer() {
  if (!existsSync(binary)) {
    throw new Error(`${binary} is missing: make test-conformance builds it`);
  }
  const folder = await mkdtemp(join(tmpdir(), "pageside-conformance-"));
  const child = spawn(
    binary,
    [
      "serve",
      "--listen",
      "127.0.0.1:0",
      "--store",
      `sqlite:${join(folder, "threads.db")}`,
      "--model",
      `script/${join(here, "../script.yaml")}`,
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let log = "";
  child.stderr.on("data", (chunk) => (log += chunk));
  const url = await address(child, () => log);
  return {
    url,
    log: () => log,
    async stop() {
      const closed = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await closed;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Waits for the line that tells where the server listens. */
function address(child, log) {
  return new Promise((resolve, reject) => {
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
      const found = /http:\/\/[\d.]+:\d+/.exec(out);
      if (found) resolve(found[0]);
    });
    child.once("exit", (code) => reject(new Error(`the server ended with ${code} before it listened:\n${log()}`)));
  });
}
