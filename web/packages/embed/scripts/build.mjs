// Builds /pageside.js and /pageside-core.js into the folder that the server embeds: node
// scripts/build.mjs [folder]. Run it after the demo's build, which empties that folder.
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { bundleOptions, scripts } from "./bundle.mjs";

/** What earlier builds of this have left. A chunk of the demo may be called pageside-HASH.js. */
const OWN = /^pageside-.+-[A-Z0-9]{8}\.\w+$/;

const folder = process.argv[2] ?? fileURLToPath(new URL("../../../dist", import.meta.url));
const assets = await readdir(join(folder, "assets")).catch(() => []);
await Promise.all(assets.filter((name) => OWN.test(name)).map((name) => rm(join(folder, "assets", name))));

for (const script of scripts) {
  const { outputFiles } = await build({ ...bundleOptions(folder, script), write: false });
  await build(bundleOptions(folder, script));
  const bytes = outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
  console.warn(`${script}.js: ${outputFiles.length} files, ${(bytes / 1024).toFixed(1)} kB gz in all`);
}
