// Starts the real server, with scripted models, for the tests.
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const folder = fileURLToPath(new URL("..", import.meta.url));
/** How long a server may take to listen, in milliseconds. */
const READY = 120_000;

const binary = process.env.PAGESIDE_CONFORMANCE_BIN ?? join(folder, "../../bin/pageside-conformance");

/**
 * Starts a server with a store of its own, and a provider and an agent elsewhere at their
 * addresses; `url` is its own address, also after a restart.
 */
export function startServer(provider, elsewhere) {
  return serve("pageside.yaml", {
    VLLM_BASE_URL: provider,
    ELSEWHERE_URL: elsewhere.url,
    ELSEWHERE_KEY: elsewhere.key,
  });
}

/** Makes an API key for a configuration that takes them. */
export async function createKey(config) {
  const { stdout } = await promisify(execFile)(binary, [
    "keys",
    "create",
    "--config",
    config,
    "--subject",
    "ada",
    "--store",
    `sqlite:${config}.db`,
  ]);
  return stdout.trim();
}

/** Starts a server with a configuration file, and a store of its own. */
export async function serve(config, env = {}) {
  if (!existsSync(binary)) {
    throw new Error(`${binary} is missing: make test-conformance builds it`);
  }
  const store = await mkdtemp(join(tmpdir(), "pageside-conformance-"));
  let log = "";
  let child;
  let exited;
  const start = (listen) => {
    child = spawn(
      binary,
      ["serve", "--config", config, "--listen", listen, "--store", `sqlite:${join(store, "threads.db")}`],
      {
        cwd: folder,
        env: { ...process.env, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    child.stderr.on("data", (chunk) => (log += chunk));
    exited = new Promise((resolve) => child.once("exit", resolve));
    return address(child, () => log);
  };
  /**
   * Where the address is taken for a moment, by a connection of somebody else, it is tried again.
   */
  const open = async (listen) => {
    for (let tries = 1; ; tries++) {
      const before = log.length;
      try {
        return await start(listen);
      } catch (error) {
        if (tries === 60 || !log.slice(before).includes("address already in use")) throw error;
        log = log.slice(0, before);
        await sleep(500);
      }
    }
  };
  const close = async (signal = "SIGTERM") => {
    child.kill(signal);
    const last = setTimeout(() => child.kill("SIGKILL"), 60_000);
    await exited;
    clearTimeout(last);
  };
  const url = await open("127.0.0.1:0");
  return {
    url,
    log: () => log,
    async restart(signal) {
      await close(signal);
      await open(new URL(url).host);
    },
    async stop() {
      await close();
      await rm(store, { recursive: true, force: true });
    },
  };
}

/** Waits for the line that tells where the server listens. */
function address(child, log) {
  return new Promise((resolve, reject) => {
    let out = "";
    const late = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`the server did not listen within ${READY / 1000} s:\n${out}\n${log()}`));
    }, READY);
    child.stdout.on("data", (chunk) => {
      out += chunk;
      const found = /http:\/\/[\d.]+:\d+/.exec(out);
      if (!found) return;
      clearTimeout(late);
      resolve(found[0]);
    });
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(late);
      reject(new Error(`the server ended with ${code} before it listened:\n${log()}`));
    });
  });
}

/** The server's own API, as the scenarios use it. Whatever is refused is an error. */
export function apiOf(url) {
  const ask = async (method, path, body) => {
    const headers = body === undefined ? {} : { "Content-Type": "application/json" };
    const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  return {
    get: (path) => ask("GET", path),
    post: (path, body) => ask("POST", path, body),
    put: (path, body) => ask("PUT", path, body),
    patch: (path, body) => ask("PATCH", path, body),
    /** The messages of a thread as the server has stored them. */
    threadOf: async (id) => (await ask("GET", `/v1/threads/${id}/messages`)).messages.map((m) => m.message),
    /** Lets a run of a thread go on that waits in the tool `hold`. */
    release: (threadId) => ask("POST", "/v1/actions/release", { page: "reports", args: { thread: threadId } }),
    /** What tools have done in a thread, in order: "tool arguments". */
    effects: async (threadId) =>
      JSON.parse((await ask("POST", "/v1/actions/effects", { page: "reports", args: { thread: threadId } })).text),
  };
}
