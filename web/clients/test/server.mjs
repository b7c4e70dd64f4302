// Starts the real binary, on a store of its own, with a model server that answers by rules.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startModel } from "./model.mjs";

const binary = fileURLToPath(new URL("../../../bin/pageside", import.meta.url));
/** How long a server may take to listen, and to end, in milliseconds. */
const READY = 120_000;
const END = 60_000;

/** What is served unless a test says otherwise: an agent with tools that read and that ask. */
export function configOf(model) {
  return {
    models: { main: { use: "vllm/mock", baseUrl: `${model.url}/v1`, key: "env:MODEL_KEY" } },
    agents: [{ id: "default", description: "A test.", model: "main" }],
    egress: { private: ["127.0.0.1"], ports: [model.port] },
    tools: [
      {
        name: "get_weather",
        description: "Tells the weather.",
        url: `${model.url}/tools/weather`,
        method: "POST",
        effect: "read",
        global: true,
        input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      },
      {
        name: "search_papers",
        description: "Searches papers.",
        url: `${model.url}/tools/papers`,
        effect: "read",
        global: true,
        sources: { list: "/hits", title: "/name", url: "/link", snippet: "/about" },
      },
      {
        name: "send_mail",
        description: "Sends a mail.",
        url: `${model.url}/tools/mail`,
        method: "POST",
        approval: "always",
        global: true,
        input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
      },
    ],
    // Clients that know nothing of Pageside declare no effects.
    pageTools: [{ name: "paint", effect: "read" }],
  };
}

/**
 * Starts a server. `config` is put over what `configOf` says, `rules` before the model's common
 * answers, `pages` is a folder to serve at /.
 */
export async function startServer({ config = {}, rules = [], pages } = {}) {
  if (!existsSync(binary)) throw new Error(`${binary} is missing: make build makes it`);
  const model = await startModel(rules);
  const folder = await mkdtemp(join(tmpdir(), "pageside-clients-"));
  // JSON is YAML.
  await writeFile(join(folder, "pageside.yaml"), JSON.stringify({ ...configOf(model), ...config }));
  const args = ["serve", "--config", "pageside.yaml", "--listen", "127.0.0.1:0", "--store", "sqlite:threads.db"];
  const child = spawn(binary, [...args, ...(pages ? ["--pages", pages] : [])], {
    cwd: folder,
    env: { ...process.env, MODEL_KEY: "a key" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  child.stderr.on("data", (chunk) => (log += chunk));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const stop = async () => {
    child.kill();
    const last = setTimeout(() => child.kill("SIGKILL"), END);
    await exited;
    clearTimeout(last);
    await model.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return { url: await address(child, () => log), log: () => log, model, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits for the line that tells where the server listens. */
function address(child, log) {
  return new Promise((resolve, reject) => {
    let out = "";
    const fail = (why) => reject(new Error(`the server ${why}:\n${out}\n${log()}`));
    const late = setTimeout(() => fail(`did not listen within ${READY / 1000} s`), READY);
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
      fail(`ended with ${code}`);
    });
  });
}
