// @vitest-environment node
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const web = join(root, "web");
const here = dirname(fileURLToPath(import.meta.url));
const TEXTS = join(web, "packages/context-provider/test/texts");
const read = (path: string) => readFileSync(path, "utf8");
const named = (path: string) => relative(root, path);
const pagesIn = (folder: string, recursive = false) =>
  readdirSync(join(root, folder), { recursive, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => join(root, folder, name));

describe("the examples of the documentation", () => {
  const pages = [...pagesIn("docs", true), join(root, "README.md")];
  const examples = pages.flatMap(examplesOf);
  const texts = readdirSync(TEXTS, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => ({ page: `texts/${name}`, line: 1, kind: "", code: "", path: join(TEXTS, name) }));
  const mistake = { page: "a page", line: 7, kind: "tsx", code: 'import { useNothing } from "@pageside/react";' };
  const wrong = {
    page: "a plug-in",
    line: 1,
    kind: "tsx",
    code: 'import { useAssistantAction } from "@osd/context-provider";\nuseAssistantAction({ description: "no name" });',
  };
  let problems: string[];
  beforeAll(() => {
    problems = problemsOf([...examples, mistake, wrong, ...texts]);
  }, 300_000);

  it("compile against the sources", () => {
    expect(examples.length).toBeGreaterThan(50);
    expect(problems.filter((problem) => problem.startsWith("docs/"))).toEqual([]);
  });

  it("are checked: a mistake is found, and told with its place", () => {
    expect(problems).toContainEqual(expect.stringMatching(/^a page:7: .*useNothing/));
  });

  it("compile under `strict`, as does all code of the texts that the hooks come from", () => {
    expect(compilerOptions().strict).toBe(true);
    expect(texts.length).toBe(6);
    expect(problems.filter((problem) => problem.startsWith("texts/"))).toEqual([]);
    expect(problems).toContainEqual(expect.stringMatching(/^a plug-in:2: .*name/));
  });

  it("stand in pages that tell of every hook", () => {
    const index = ["react", "context-provider"]
      .map((name) => read(join(web, `packages/${name}/src/index.ts`)))
      .join("\n");
    const hooks = [...index.matchAll(/^export \{.*?\}/gms)].flatMap(
      ([names]) => names.match(/\b(?:use[A-Z]|register)\w+/g) ?? [],
    );
    const pages = pagesIn("docs/sdk").map(read).join("\n");
    expect(hooks.length).toBeGreaterThan(15);
    expect(hooks.filter((name) => !new RegExp(`\\b${name}\\b`).test(pages))).toEqual([]);
  });

  it("are seldom only fragments", () => {
    const fragments = pages.flatMap((path) => read(path).match(/^```tsx? fragment$/gm) ?? []);
    expect(fragments.length).toBeLessThanOrEqual(4);
  });
});

describe("relative links", () => {
  const pages = [...pagesIn("docs", true), join(root, "README.md")].filter((path) => existsSync(path));

  it("lead to files and headings that are there", () => {
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.flatMap(brokenLinksOf)).toEqual([]);
  });
});

interface Example {
  page: string;
  /** Of its first line. */
  line: number;
  kind: string;
  code: string;
  /** Of a file that is there. */
  path?: string;
  /** The file that it is, where the text above it says so: "`src/Orders.tsx`: …". */
  file?: string | undefined;
}

/**
 * The fenced blocks of a page. What they use of the application around them stands in comments of
 * the page: `<!-- @setup` and then one declaration a line, for all blocks of the page.
 */
function examplesOf(path: string): Example[] {
  const text = read(path);
  const setup = [...text.matchAll(/^<!-- @setup\n(.*?)\n-->$/gms)].flatMap(([, lines = ""]) => lines.split("\n"));
  return [...text.matchAll(/^```(tsx?)\n(.*?)^```$/gms)].map(({ index, 1: kind = "", 2: code = "" }) => {
    const line = text.slice(0, index).split("\n").length + 1;
    return {
      page: named(path),
      line,
      kind,
      file: /^`src\/([\w.-]+)`[^\n]*\n\n$/m.exec(text.slice(0, index).split("\n").slice(-3).join("\n"))?.[1],
      code: `${code}${setup.filter(isMissingIn(code)).join("\n")}\nexport {};\n`,
    };
  });
}

/** A block that declares or imports a name itself does not need the page's. */
function isMissingIn(code: string) {
  return (declaration: string) => {
    const [, name] = /^(?:declare )?(?:const|function|class|type|interface) (\w+)/.exec(declaration) ?? [];
    if (name === undefined) throw new Error(`A @setup comment has one declaration a line, not ${declaration}`);
    return !new RegExp(`\\b(?:const|let|function|class|type|interface) ${name}\\b|^import .*\\b${name}\\b`, "m").test(
      code,
    );
  };
}

/** What the compiler says of the examples, each a module of its own in one program. */
function problemsOf(examples: readonly Example[]): string[] {
  const files = new Map(
    examples.map((example, index) => [example.path ?? join(here, `docs-example-${index}.${example.kind}`), example] as const), // prettier-ignore
  );
  const modules = new Map(examples.flatMap((each) => (each.file ? [[join(here, each.file), each] as const] : [])));
  const styles = join(here, "docs-example-styles.d.ts");
  const options = compilerOptions();
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  const made = (path: string) =>
    path === styles ? 'declare module "*.css";' : (files.get(path) ?? modules.get(path))?.code || undefined;
  host.readFile = (path) => made(path) ?? readFile(path);
  host.fileExists = (path) => made(path) !== undefined || fileExists(path);
  host.getSourceFile = (path, target) => {
    const text = host.readFile(path);
    return text === undefined ? undefined : ts.createSourceFile(path, text, target);
  };
  const program = ts.createProgram([...files.keys(), styles], options, host);
  return [...files].flatMap(([path, { page, line }]) => {
    const source = program.getSourceFile(path)!;
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ start = 0, messageText }) =>
        `${page}:${line + source.getLineAndCharacterOfPosition(start).line}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    );
  });
}

function compilerOptions(): ts.CompilerOptions {
  const path = join(web, "tsconfig.base.json");
  const { config } = ts.readConfigFile(path, read) as { config: { compilerOptions: Record<string, unknown> } };
  const { options, errors } = ts.convertCompilerOptionsFromJson(config.compilerOptions, web, path);
  expect(errors).toEqual([]);
  return {
    ...options,
    pathsBasePath: web,
    noUnusedLocals: false,
    noUnusedParameters: false,
    allowImportingTsExtensions: true,
    noEmit: true,
  };
}

function brokenLinksOf(path: string): string[] {
  const prose = read(path)
    .replace(/^(```|~~~).*?^\1$/gms, "")
    .replace(/`[^`\n]*`/g, "");
  const links = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)].map(([, link = ""]) => link);
  return links
    .filter((link) => !/^[a-z][a-z+.-]*:/i.test(link))
    .filter((link) => !isThere(path, link))
    .map((link) => `${named(path)}: ${link}`);
}

function isThere(path: string, link: string): boolean {
  const [file = "", heading] = link.split("#");
  const target = file === "" ? path : resolve(dirname(path), decodeURI(file));
  if (!existsSync(target)) return false;
  return (
    heading === undefined ||
    !target.endsWith(".md") ||
    statSync(target).isDirectory() ||
    headingsOf(target).has(heading)
  );
}

/** Headings as they are linked to: in lower case, without punctuation, with hyphens for spaces. */
function headingsOf(path: string): Set<string> {
  const headings = [...read(path).matchAll(/^#{1,6} +(.*)$/gm)].map(([, text = ""]) => text);
  return new Set(
    headings.map((text) =>
      text
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replace(/ /g, "-"),
    ),
  );
}
