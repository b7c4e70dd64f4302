import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, request, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Running {
  url: string;
  stop(): Promise<void>;
}

/** How long an example may take to listen, in milliseconds. */
const READY = 120_000;

const built = (name: string) => fileURLToPath(new URL(`../../../../../bin/${name}`, import.meta.url));

/** A server that answers as the function does, at a port of its own. */
export async function listen(answer: RequestListener): Promise<Running> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The first of them, which stops with the others, one after the other. */
export function stack(...all: [Running, ...Running[]]): Running {
  const stop = async () => {
    for (const each of all) await each.stop();
  };
  return { url: all[0].url, stop };
}

/** The example with Go templates, as it is run. */
export const startOrders = () => start(process.env.PAGESIDE_ORDERS ?? built("gotemplate"));

/** The example without a framework. */
export const startPlain = () => start(process.env.PAGESIDE_PLAIN ?? built("plain"));

/**
 * `pageside serve` with files of its own, among them `pageside.yaml`, and variables of its
 * environment. With `pages` it serves the files too.
 */
export async function startServe(
  files: Record<string, string>,
  env?: NodeJS.ProcessEnv,
  pages = false,
): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), "pageside-"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const store = `sqlite:${join(folder, "pageside.db")}`;
  const binary = process.env.PAGESIDE_BIN ?? built("pageside");
  const args = ["serve", "--config", join(folder, "pageside.yaml"), "--store", store];
  const running = await start(binary, pages ? [...args, "--pages", folder] : args, env);
  return { ...running, stop: () => running.stop().finally(() => rm(folder, { recursive: true })) };
}

async function start(binary: string, args: readonly string[] = [], env?: NodeJS.ProcessEnv): Promise<Running> {
  if (!existsSync(binary)) throw new Error(`${binary} is missing: "make test-browser" builds it`);
  const child = spawn(binary, [...args, "--listen", "127.0.0.1:0"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`${binary} was not ready after ${READY / 1000} s`));
    }, READY);
    void exited.then(() => clearTimeout(late));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const found = /http:\/\/\S+/.exec(line);
      if (!found) return;
      clearTimeout(late);
      resolve(found[0]);
    });
    child.once("error", reject);
    void exited.then(() => reject(new Error("the example ended before it was ready")));
  });
  return {
    url,
    stop() {
      child.kill("SIGINT");
      const last = setTimeout(() => child.kill("SIGKILL"), 30_000);
      return exited.finally(() => clearTimeout(last));
    },
  };
}

/**
 * A page of the given HTML; the assistant's addresses are passed on to the server behind it, as a
 * reverse proxy does.
 */
export function startPage(html: string, behind: string, headers: Record<string, string> = {}): Promise<Running> {
  return listen((incoming, outgoing) => {
    if (!/^\/(?:v1\/|assets\/|pageside\.js)/.test(incoming.url ?? "")) {
      outgoing.writeHead(200, { "Content-Type": "text/html; charset=utf-8", ...headers }).end(html);
      return;
    }
    const passed = request(
      new URL(incoming.url!, behind),
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        outgoing.flushHeaders();
        answer.pipe(outgoing);
      },
    );
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
}
