// Starts a program that was built, for whatever talks to it: tests, pictures, recordings.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** How long it may take to listen, and to end once it is told to, in milliseconds. */
const READY = 120_000;
const END = 60_000;

/** The path of a program that `make` builds. */
export const built = (name) => fileURLToPath(new URL(`../../bin/${name}`, import.meta.url));
/** The server; `PAGESIDE_BIN` is another one. */
export const pageside = process.env.PAGESIDE_BIN ?? built("pageside");

/**
 * Starts a program, in a folder and with variables of its environment where they are given, and
 * resolves when it has told where it listens. If it ends before that, the error has what it said.
 */
export async function startProgram(binary, args = [], { cwd, env } = {}) {
  if (!existsSync(binary)) throw new Error(`${binary} is missing: make builds it`);
  const child = spawn(binary, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk) => (log += chunk));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const url = await addressOf(child, binary, () => log);
  return {
    url,
    /** What it has written to its standard error so far. */
    log: () => log,
    /** Ends it, and waits until it is gone. */
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      const last = setTimeout(() => child.kill("SIGKILL"), END);
      await exited;
      clearTimeout(last);
    },
  };
}

function addressOf(child, binary, log) {
  return new Promise((resolve, reject) => {
    let out = "";
    const fail = (why) => {
      clearTimeout(late);
      child.kill("SIGKILL");
      reject(new Error(`${binary} ${why}:\n${out}\n${log()}`));
    };
    const late = setTimeout(() => fail(`did not listen within ${READY / 1000} s`), READY);
    child.stdout.on("data", (chunk) => {
      out += chunk;
      const found = /http:\/\/[\w.]+:\d+(?=\D)/.exec(out);
      if (!found) return;
      clearTimeout(late);
      resolve(found[0]);
    });
    child.once("error", ({ message }) => fail(`did not start: ${message}`));
    child.once("close", (code) => fail(`ended with ${code}`));
  });
}
