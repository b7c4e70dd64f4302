// Packs the packages and checks the tarballs as they would be published: what package.json and the
// files beside it must say, publint (what package.json says is there and right) and "are the types
// wrong" (what TypeScript finds, by every way of resolving that an ES module has). To be run after
// `npm run build:packages`. `--out FOLDER` keeps the tarballs there.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

const PACKAGES = ["core", "react", "testing", "context-provider"];
const REPOSITORY = "git+https://github.com/pageside/pageside.git";

// The packages are ES modules only: Node's resolution before `exports`, and `require`, are not
// supported.
const RESOLUTIONS = new Set(["node16-esm", "bundler"]);

const { values } = parseArgs({ options: { out: { type: "string" } } });
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const read = (path) => readFileSync(here(path), "utf8");
const licence = read("../../LICENSE");
const { version } = JSON.parse(read("../packages/core/package.json"));

/** What a registry shows of a package, and what publishing it needs. */
function published(name, pkg, files) {
  const problems = [];
  const must = (ok, problem) => void (ok || problems.push(problem));
  must(pkg.version === version, `its version is ${pkg.version}, that of @pageside/core ${version}`);
  must(!pkg.private, "it is private");
  must(pkg.license === "Apache-2.0", `its license is ${pkg.license}`);
  must(pkg.description && pkg.keywords?.length > 0, "it has no description or no keywords");
  must(pkg.repository?.url === REPOSITORY, "repository.url is not ours, so npm refuses its provenance");
  must(pkg.repository?.directory === `web/packages/${name}`, "repository.directory is not its folder");
  must(pkg.publishConfig?.access === "public", "publishConfig.access is not public");
  must(pkg.publishConfig?.provenance === true, "publishConfig.provenance is not true");
  for (const [sibling, range] of Object.entries(pkg.dependencies ?? {})) {
    if (sibling.startsWith("@pageside/")) must(range === version, `it depends on ${sibling} ${range}, not ${version}`);
  }
  for (const file of ["README.md", "LICENSE"]) must(files.includes(file), `${file} is not in the tarball`);
  must(read(`../packages/${name}/LICENSE`) === licence, "its LICENSE is not the repository's");
  return problems;
}

async function lint(pkg, tarball) {
  const data = tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength);
  const { messages } = await publint({ pack: { tarball: data }, level: "suggestion", strict: true });
  return messages.map((message) => formatMessage(message, pkg));
}

async function types(pkg, tarball) {
  const styles = Object.keys(pkg.exports).filter((path) => path.endsWith(".css"));
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)), {
    excludeEntrypoints: styles,
  });
  if (!analysis.types) return ["it has none"];
  return analysis.problems
    .filter(({ resolutionKind }) => resolutionKind === undefined || RESOLUTIONS.has(resolutionKind))
    .map((problem) => JSON.stringify(problem));
}

const folder = values.out ?? mkdtempSync(join(tmpdir(), "packages-"));
mkdirSync(folder, { recursive: true });

for (const name of PACKAGES) {
  const pkgDir = here(`../packages/${name}`);
  const pkg = JSON.parse(readFileSync(join(pkgDir, "package.json"), "utf8"));
  const packed = execFileSync("npm", ["pack", "--json", "--pack-destination", folder], { cwd: pkgDir, stdio: "pipe" });
  const [{ filename, files, size }] = JSON.parse(packed);
  const tarball = readFileSync(join(folder, filename));
  const paths = files.map(({ path }) => path);
  const found = {
    "package.json": published(name, pkg, paths),
    publint: await lint(pkg, tarball),
    types: await types(pkg, tarball),
  };
  for (const [tool, problems] of Object.entries(found)) {
    for (const problem of problems) console.error(`@pageside/${name}, ${tool}: ${problem}`);
  }
  const clean = Object.values(found).every((problems) => problems.length === 0);
  if (!clean) process.exitCode = 1;
  console.log(
    `@pageside/${name} ${pkg.version}: ${clean ? `clean, ${(size / 1000).toFixed(0)} kB packed` : "see above"}`,
  );
}

if (!values.out) rmSync(folder, { recursive: true });
