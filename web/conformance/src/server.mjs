// Starts the real server, with scripted models, for the tests.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { built, startProgram } from "../../scripts/program.mjs";

const folder = fileURLToPath(new URL("..", import.meta.url));
const binary = process.env.PAGESIDE_CONFORMANCE_BIN ?? built("pageside-conformance");

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

/**
 * Runs something with a server of its own, which it may kill, in a world in which that is the
 * server.
 */
export async function withServer(world, run) {
  const server = await startServer(world.provider.url, world.elsewhere);
  try {
    await run({ ...world, url: server.url, ...apiOf(server.url) }, server);
  } finally {
    await server.stop();
  }
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
  const store = await mkdtemp(join(tmpdir(), "pageside-conformance-"));
  /** What it said before it was started again. */
  let past = "";
  const start = (listen) =>
    startProgram(
      binary,
      ["serve", "--config", config, "--listen", listen, "--store", `sqlite:${join(store, "threads.db")}`],
      { cwd: folder, env },
    );
  /**
   * Where the address is taken for a moment, by a connection of somebody else, it is tried again.
   */
  const open = async (listen) => {
    for (let tries = 1; ; tries++) {
      try {
        return await start(listen);
      } catch (error) {
        if (tries === 60 || !error.message.includes("address already in use")) throw error;
        await sleep(500);
      }
    }
  };
  let program = await open("127.0.0.1:0");
  const { url } = program;
  return {
    url,
    log: () => past + program.log(),
    async restart(signal) {
      await program.stop(signal);
      past += program.log();
      program = await open(new URL(url).host);
    },
    async stop() {
      await program.stop();
      await rm(store, { recursive: true, force: true });
    },
  };
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
