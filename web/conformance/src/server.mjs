// Starts the real server, with scripted models, for the tests.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("..", import.meta.url));
const binary = process.env.PAGESIDE_CONFORMANCE_BIN ?? join(folder, "../../bin/pageside-conformance");

/** Starts a server with a store of its own and a provider at an address; `url` is its own address, also after a restart. */
export async function startServer(provider) {
  if (!existsSync(binary)) {
    throw new Error(`${binary} is missing: make test-conformance builds it`);
  }
  const store = await mkdtemp(join(tmpdir(), "pageside-conformance-"));
  let log = "";
  let child;
  const open = (listen) => {
    child = spawn(
      binary,
      ["serve", "--config", "pageside.yaml", "--listen", listen, "--store", `sqlite:${join(store, "threads.db")}`],
      { cwd: folder, env: { ...process.env, VLLM_BASE_URL: provider }, stdio: ["ignore", "pipe", "pipe"] },
    );
    child.stderr.on("data", (chunk) => (log += chunk));
    return address(child, () => log);
  };
  const close = async (signal = "SIGTERM") => {
    const closed = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await closed;
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
    child.stdout.on("data", (chunk) => {
      out += chunk;
      const found = /http:\/\/[\d.]+:\d+/.exec(out);
      if (found) resolve(found[0]);
    });
    child.once("exit", (code) => reject(new Error(`the server ended with ${code} before it listened:\n${log()}`)));
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
    /** What tools have done in a thread, in order: "tool arguments". */
    effects: async (threadId) =>
      JSON.parse((await ask("POST", "/v1/actions/effects", { page: "reports", threadId })).text),
  };
}
