// Makes packages/react/src/tray/panels/panelStyles.js of styles/panels.css, as it is shipped: a
// module that the panels bring along. Whatever builds or tests the sources imports this file, which
// makes the module where it is missing or old. `node scripts/panel-styles.mjs <folder>` makes it in
// that folder too.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { isolate } from "./isolate.mjs";

const source = fileURLToPath(new URL("../packages/react/src", import.meta.url));
const built = buildSync({
  entryPoints: [join(source, "styles/panels.css")],
  bundle: true,
  minify: true,
  write: false,
});
const css = isolate(built.outputFiles[0].text.trim());

/** In one step: several builds may run at once. */
function write(folder) {
  const path = join(folder, "panelStyles.js");
  const module = `export const panelStyles = ${JSON.stringify(css)};\n`;
  if (existsSync(path) && readFileSync(path, "utf8") === module) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${path}.${process.pid}`, module);
  renameSync(`${path}.${process.pid}`, path);
}

write(join(source, "tray/panels"));
const isMain = process.argv[1] === fileURLToPath(import.meta.url);
if (isMain && process.argv[2]) write(process.argv[2]);
