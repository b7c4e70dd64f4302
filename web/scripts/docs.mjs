// Writes the tables of options in docs/sdk from the doc comments of the interfaces they describe:
//   npm run docs               writes them
//   npm run docs -- --check    fails where a table is not up to date
//   npm run docs -- --coverage fails where too few of the packages' exports have a doc comment
//
// A table stands between `<!-- options: NAME -->` and `<!-- /options -->`. The default of an option
// is what its `@defaultValue` says. What the SDK returns has no defaults: its tables stand between
// `<!-- fields: NAME -->` and `<!-- /fields -->`.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const folder = path("../../docs/sdk");
const packages = ["core", "react", "testing", "context-provider", "embed"];
/** Of all exports, how many must have a doc comment. */
const COVERED = 0.95;

const [mode] = process.argv.slice(2);
const { program, checker } = load();
if (mode === "--coverage") coverage();
else tables(mode === "--check");

function load() {
  const sources = packages.flatMap((name) =>
    readdirSync(path(`../packages/${name}/src`), { recursive: true })
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|\.d\.ts$/.test(file))
      .map((file) => path(`../packages/${name}/src/${file}`)),
  );
  const { config } = ts.readConfigFile(path("../tsconfig.base.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, path(".."));
  const bundled = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
  const program = ts.createProgram(sources, { ...options, ...bundled });
  return { program, checker: program.getTypeChecker() };
}

function tables(isCheck) {
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".md"))) {
    const file = `${folder}/${name}`;
    const before = readFileSync(file, "utf8");
    const after = before.replace(
      /(<!-- (options|fields): (\w+) -->\n)[^]*?(\n<!-- \/\2 -->)/g,
      (_, begin, kind, type, end) => `${begin}\n${table(type, kind === "options")}\n${end}`,
    );
    if (after === before) continue;
    if (isCheck) fail(`docs/sdk/${name} is not up to date: npm run docs`);
    else writeFileSync(file, after);
  }
}

function table(name, hasDefaults) {
  const rows = properties(name).map((property) => {
    const tags = Object.fromEntries(property.getJsDocTags(checker).map((tag) => [tag.name, textOf(tag.text)]));
    const text = textOf(property.getDocumentationComment(checker));
    if (!text) fail(`${name}.${property.name} has no doc comment, and docs/sdk shows it`);
    const cell = `\`${property.name}${argumentsOf(property)}\``;
    if (!hasDefaults) return [cell, text];
    const isOptional = property.flags & ts.SymbolFlags.Optional;
    return [cell, tags.defaultValue ?? (isOptional ? "" : "required"), text];
  });
  const line = (cells) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`.replaceAll("|  |", "| |");
  const head = hasDefaults ? [line(["option", "default", ""]), "|---|---|---|"] : [line(["field", ""]), "|---|---|"];
  return [...head, ...rows.map(line)].join("\n");
}

/** What a function is given: `(args, context)`. Nothing for a value that need not be a function. */
function argumentsOf(property) {
  const signatures = checker.getNonNullableType(checker.getTypeOfSymbol(property)).getCallSignatures();
  if (signatures.length !== 1 || !isOurs(signatures[0])) return "";
  return `(${signatures[0].parameters.map(({ name }) => name).join(", ")})`;
}

/** The properties of an exported interface that are declared here, inherited ones first. */
function properties(name) {
  for (const entry of [
    "core/src/index.ts",
    "core/src/agui.ts",
    "react/src/index.ts",
    "react/src/tray/index.ts",
    "react/src/markdown/index.ts",
    "react/src/charts.ts",
    "testing/src/index.ts",
    "testing/src/react.tsx",
    "context-provider/src/index.ts",
    "context-provider/src/testing.tsx",
  ]) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(path(`../packages/${entry}`)));
    const found = module && checker.getExportsOfModule(module).find((each) => each.name === name);
    if (!found) continue;
    const { members } = resolved(found);
    const all = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(resolved(found)));
    const isOwn = ({ escapedName }) => members.has(escapedName);
    return [...all.filter((each) => !isOwn(each)), ...all.filter(isOwn)].filter((each) =>
      each.declarations?.some((declaration) => isOurs({ declaration })),
    );
  }
  fail(`docs/sdk names ${name}, which no package exports`);
  return [];
}

function isOurs({ declaration }) {
  return !declaration?.getSourceFile().fileName.includes("/node_modules/");
}

function coverage() {
  for (const name of packages) {
    const bare = [];
    let all = 0;
    for (const source of program
      .getSourceFiles()
      .filter(({ fileName }) => fileName.includes(`/packages/${name}/src/`))) {
      const module = checker.getSymbolAtLocation(source);
      for (const symbol of module ? checker.getExportsOfModule(module) : []) {
        const target = resolved(symbol);
        // What a module passes on counts where it is declared.
        if (!target.declarations?.some((declaration) => declaration.getSourceFile() === source)) continue;
        all++;
        if (textOf(target.getDocumentationComment(checker)) === "")
          bare.push(`${relative(path(".."), source.fileName)}: ${symbol.name}`);
      }
    }
    const share = 1 - bare.length / all;
    console.log(`@pageside/${name}: ${(100 * share).toFixed(1)} % of ${all} exports have a doc comment`);
    if (share < COVERED) fail(`These have none:\n  ${bare.join("\n  ")}`);
  }
}

function resolved(symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** The text on one line. */
function textOf(parts) {
  return ts.displayPartsToString(parts).replace(/\s+/g, " ").trim();
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
