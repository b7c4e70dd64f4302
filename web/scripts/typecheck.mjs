// Checks the types of everything, two projects side by side: npm run typecheck
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const web = new URL("..", import.meta.url);
const folders = ["packages", "apps"].flatMap((folder) =>
  readdirSync(new URL(folder, web)).map((name) => `${folder}/${name}`),
);
const projects = [...folders, "compat", "../examples/react"].filter((project) =>
  existsSync(new URL(`${project}/tsconfig.json`, web)),
);
const compiler = fileURLToPath(new URL("tsc.mjs", import.meta.url));

await Promise.all([worker(), worker()]);

/** Checks one project after the other until none is left. */
async function worker() {
  for (let project = projects.shift(); project; project = projects.shift()) {
    const code = await run(["--noEmit", "-p", project, "--pretty"]);
    if (code !== 0) process.exitCode = 1;
  }
}

function run(args) {
  return new Promise((resolve) => {
    spawn(process.execPath, [compiler, ...args], { cwd: fileURLToPath(web), stdio: "inherit" }).on("close", resolve);
  });
}
