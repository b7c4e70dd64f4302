// All that a scenario needs: the built pages, the tools' server, Pageside itself, CopilotKit's own
// runtime in Node in front of it, and the browser.
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { launch } from "../../scripts/browser.mjs";
import { listen } from "../../scripts/listen.mjs";
import { pageside, startProgram } from "../../scripts/program.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));
const types = { ".js": "text/javascript", ".css": "text/css", ".map": "application/json" };

process.env.COPILOTKIT_TELEMETRY_DISABLED = "true";
process.env.DO_NOT_TRACK = "1";

/** What CopilotKit's runtime has warned of. Nothing else in this process writes to the console. */
const warnings = [];
console.warn = console.error = (...said) => warnings.push(said.map(String).join(" "));

/** Starts everything; `stop` puts it away again. */
export async function startWorld() {
  const put = [];
  const stop = async () => {
    for (const away of put.splice(0).reverse()) await away();
  };
  try {
    const pages = await startPages(put);
    const tools = await startTools(put);
    const server = await startServer(put, pages, tools.port);
    const runtimes = {
      direct: `${server.url}/copilotkit`,
      node: await startNode(put, `${server.url}/v1/agents/default/run`),
      // a run that asks for suggestions is one only there
      "node, suggestions": await startNode(put, `${server.url}/copilotkit/agent/default/run`),
    };
    const browser = await launch();
    put.push(() => browser.close());
    const context = await browser.newContext(); // one, so that CopilotKit is read once
    return { pages, tools, server, context, runtimes, warnings, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Bundles the applications and serves them. */
async function startPages(put) {
  const out = await mkdtemp(join(tmpdir(), "pageside-copilotkit-"));
  put.push(() => rm(out, { recursive: true, force: true }));
  await build({
    entryPoints: ["v1", "v2"].map((version) => join(folder, `src/${version}.jsx`)),
    outdir: out,
    bundle: true,
    splitting: true,
    format: "esm",
    jsx: "automatic",
    jsxDev: true,
    // React and CopilotKit warn only in development.
    define: { "process.env.NODE_ENV": '"development"', "process.env": "{}" },
    loader: { ".woff": "dataurl", ".woff2": "dataurl", ".ttf": "dataurl" },
    minify: true,
    logLevel: "error",
  });
  const { url, stop } = await listen(async (request, response) => {
    const { pathname } = new URL(request.url, "http://pages");
    const version = /^\/(v[12])$/.exec(pathname)?.[1];
    if (version) return void response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(html(version));
    try {
      const content = await readFile(join(out, pathname));
      const headers = { "Content-Type": types[extname(pathname)], "Cache-Control": "max-age=3600" };
      response.writeHead(200, headers).end(content);
    } catch {
      response.writeHead(pathname === "/favicon.ico" ? 204 : 404).end();
    }
  });
  put.push(stop);
  return url;
}

const html = (version) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>${version}</title>
    <link rel="stylesheet" href="/${version}.css" />
    <style>body { display: flex; margin: 0; height: 100vh } aside { width: 20rem } main { flex: 1; height: 100vh }</style>
  </head>
  <body><div id="root" style="display: contents"></div><script type="module" src="/${version}.js"></script></body>
</html>`;

/** Starts the application's own endpoints, which are Pageside's backend tools. */
async function startTools(put) {
  const done = { rolls: 0, mails: [] };
  const answers = {
    "/weather": () => ({ celsius: 21 }),
    "/roll": () => ({ shows: ++done.rolls }),
    "/story": () => ({ kept: true }),
    "/mail": ({ to }) => (done.mails.push(to), { sent: to }),
  };
  const { port, stop } = await listen(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const answer = answers[new URL(request.url, "http://tools").pathname];
    response.writeHead(answer ? 200 : 404, { "Content-Type": "application/json" });
    response.end(JSON.stringify(answer?.(body ? JSON.parse(body) : {}) ?? {}));
  });
  put.push(stop);
  return { port, done };
}

/** Starts the real binary on a store of its own. */
async function startServer(put, pages, toolsPort) {
  const cwd = await mkdtemp(join(tmpdir(), "pageside-copilotkit-store-"));
  put.push(() => rm(cwd, { recursive: true, force: true }));
  for (const file of ["script.yaml", "ideas.yaml"]) await cp(join(folder, file), join(cwd, file));
  const config = await readFile(join(folder, "pageside.yaml"), "utf8");
  const ports = { 5173: new URL(pages).port, 5174: toolsPort };
  await writeFile(
    join(cwd, "pageside.yaml"),
    config.replace(/\b517[34]\b/g, (port) => ports[port]),
  );
  const args = ["serve", "--config", "pageside.yaml", "--listen", "127.0.0.1:0", "--store", "sqlite:threads.db"];
  const server = await startProgram(pageside, args, { cwd });
  put.push(() => server.stop());
  return server;
}

/** Starts CopilotKit's runtime for Node, with an agent of `@ag-ui/client` at an address. */
async function startNode(put, url) {
  const { CopilotRuntime } = await import("@copilotkit/runtime/v2");
  const { createCopilotNodeListener } = await import("@copilotkit/runtime/v2/node");
  const { HttpAgent } = await import("@ag-ui/client");
  const runtime = new CopilotRuntime({ agents: { default: new HttpAgent({ url }) } });
  const listener = createCopilotNodeListener({ runtime, basePath: "/api/copilotkit", cors: true });
  const { url: origin, stop } = await listen(listener);
  put.push(stop);
  return `${origin}/api/copilotkit`;
}
