// Checks the packages as they would be published: publint (what package.json says is there and
// right) and "are the types wrong" (what TypeScript finds, by every way of resolving that an ES
// module has). To be run after `npm run build:packages`.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

const PACKAGES = ["core", "react", "testing"];

// The packages are ES modules only: Node's resolution before `exports`, and `require`, are not
// supported.
const RESOLUTIONS = new Set(["node16-esm", "bundler"]);

const folder = mkdtempSync(join(tmpdir(), "packages-"));
let failed = false;

const report = (name, tool, problems) => {
  for (const problem of problems) console.error(`@pageside/${name}, ${tool}: ${problem}`);
  failed ||= problems.length > 0;
};

for (const name of PACKAGES) {
  const pkgDir = fileURLToPath(new URL(`../packages/${name}`, import.meta.url));
  const pkg = JSON.parse(readFileSync(join(pkgDir, "package.json"), "utf8"));
  const packed = execFileSync("npm", ["pack", "--json", "--pack-destination", folder], { cwd: pkgDir, stdio: "pipe" });
  const [{ filename }] = JSON.parse(packed);
  const tarball = readFileSync(join(folder, filename));

  const data = tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength);
  const { messages } = await publint({ pack: { tarball: data }, level: "suggestion", strict: true });
  report(
    name,
    "publint",
    messages.map((message) => formatMessage(message, pkg)),
  );

  const styles = Object.keys(pkg.exports).filter((path) => path.endsWith(".css"));
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)), {
    excludeEntrypoints: styles,
  });
  const problems = (analysis.problems ?? []).filter(
    ({ resolutionKind }) => resolutionKind === undefined || RESOLUTIONS.has(resolutionKind),
  );
  report(
    name,
    "types",
    problems.map((problem) => JSON.stringify(problem)),
  );
  if (!analysis.types) report(name, "types", ["has none"]);
  console.log(`@pageside/${name}: ${messages.length + problems.length === 0 ? "clean" : "see above"}`);
}

rmSync(folder, { recursive: true });
process.exitCode = failed ? 1 : 0;
