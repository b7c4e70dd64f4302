// Starts the real binary, on a store of its own, with a model server that answers by rules.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pageside, startProgram } from "../../scripts/program.mjs";
import { startModel } from "./model.mjs";

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
  const model = await startModel(rules);
  const folder = await mkdtemp(join(tmpdir(), "pageside-clients-"));
  // JSON is YAML.
  await writeFile(join(folder, "pageside.yaml"), JSON.stringify({ ...configOf(model), ...config }));
  const args = ["serve", "--config", "pageside.yaml", "--listen", "127.0.0.1:0", "--store", "sqlite:threads.db"];
  const flags = [...args, ...(pages ? ["--pages", pages] : [])];
  let server;
  const stop = async () => {
    await server?.stop();
    await model.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    server = await startProgram(pageside, flags, { cwd: folder, env: { MODEL_KEY: "a key" } });
    return { ...server, model, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
