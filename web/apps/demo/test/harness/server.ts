import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The server as it was built. */
export const binary =
  process.env.PAGESIDE_BIN ?? fileURLToPath(new URL("../../../../../bin/pageside", import.meta.url));

/** How long the server may take to listen, in milliseconds. */
const readyWithin = 120_000;

export interface Server {
  url: string;
  stop(): Promise<void>;
}

/** Starts the demo with the scripted model on a free port. What it shows is up to `flags`. */
export async function startServer(...flags: string[]): Promise<Server> {
  if (!existsSync(binary)) throw new Error(`${binary} is missing: build it with "make build" or set PAGESIDE_BIN`);
  const child = spawn(binary, ["demo", "--listen", "127.0.0.1:0", "--model", "script/demo", ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`the server was not ready after ${readyWithin} ms: ${errors}`));
    }, readyWithin);
    void exited.then(() => clearTimeout(late));
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (line) => {
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
      if (!found) return;
      clearTimeout(late);
      resolve(found[0]);
    });
    child.once("error", reject);
    void exited.then(() => reject(new Error(`the server ended before it was ready: ${errors}`)));
  });
  return {
    url,
    stop() {
      child.kill("SIGTERM");
      const last = setTimeout(() => child.kill("SIGKILL"), 5_000);
      return exited.finally(() => clearTimeout(last));
    },
  };
}
