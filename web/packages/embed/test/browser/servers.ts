import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listen } from "../../../../scripts/listen.mjs";
import { built, pageside, startProgram } from "../../../../scripts/program.mjs";

export interface Running {
  url: string;
  stop(): Promise<void>;
}

/** The first of them, which stops with the others, one after the other. */
export function stack(...all: [Running, ...Running[]]): Running {
  const stop = async () => {
    for (const each of all) await each.stop();
  };
  return { url: all[0].url, stop };
}

/** The example with Go templates, as it is run. */
export const startOrders = () => startExample(process.env.PAGESIDE_ORDERS ?? built("gotemplate"));

/** The example without a framework. */
export const startPlain = () => startExample(process.env.PAGESIDE_PLAIN ?? built("plain"));

const ANYWHERE = ["--listen", "127.0.0.1:0"];
const startExample = (binary: string) => startProgram(binary, ANYWHERE);

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
  const args = ["serve", "--config", join(folder, "pageside.yaml"), "--store", store];
  const running = await startProgram(pageside, [...args, ...ANYWHERE, ...(pages ? ["--pages", folder] : [])], { env });
  return { ...running, stop: () => running.stop().finally(() => rm(folder, { recursive: true })) };
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
