// Builds the inspector into web/dist: inspector.html and its two assets, named by their content.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleOptions } from "./bundle.mjs";

const dist = fileURLToPath(new URL("../../../dist", import.meta.url));
const page = fileURLToPath(new URL("../index.html", import.meta.url));

await mkdir(join(dist, "assets"), { recursive: true });
for (const old of await readdir(join(dist, "assets"))) {
  if (old.startsWith("inspector-")) await rm(join(dist, "assets", old));
}
const { outputFiles } = await build({ ...bundleOptions(join(dist, "assets")), write: false });
let html = await readFile(page, "utf8");
for (const { path, contents } of outputFiles) {
  await writeFile(path, contents);
  html = html.replace(path.endsWith(".css") ? "INSPECTOR_CSS" : "INSPECTOR_JS", `assets/${basename(path)}`);
}
await writeFile(join(dist, "inspector.html"), html);
