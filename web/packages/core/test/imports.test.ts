import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const WEB = fileURLToPath(new URL("../../../", import.meta.url));

/** Whose modules import each other in no circle. Types count, and so does what is loaded later. */
const PACKAGES = [
  "packages/core",
  "packages/testing",
  "packages/context-provider",
  "packages/embed",
  "packages/react",
  "apps/gallery",
  "apps/inspector",
  "apps/demo",
];

/**
 * The folders of the core, lowest first: each may import those before it. `base` knows nothing of
 * an assistant; what stands on top, beside the folders, puts them together.
 */
const FOLDERS = ["base", "protocol", "page", "tools", "thread", "."];

/** Where the core is cut into what is loaded at once and what is loaded later. */
const SEAMS = {
  "client.ts": "thread/ops.ts",
  "tools/load.ts": "tools/running.ts",
  "thread/request.ts": "thread/advice.ts",
};

type Graph = ReadonlyMap<string, readonly string[]>;

/** The modules below a folder, each with those of the same folder that it imports. */
function graphOf(folder: string): Graph {
  const all = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = all.filter((path) => /(?<!\.test|\.d)\.tsx?$/.test(path));
  return new Map(files.map((path) => [path, importsOf(folder, path)]));
}

function importsOf(folder: string, path: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(folder, path), "utf8"));
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith("."))
    .map(({ fileName }) => relative(folder, join(folder, dirname(path), fileName)).replace(/\.[jt]sx?$/, ""))
    .flatMap((stem) => [`${stem}.ts`, `${stem}.tsx`].filter((file) => existsSync(join(folder, file))));
}

/** A way round, its first module once more at the end; undefined if there is none. */
function circleIn(graph: Graph): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const next of graph.get(path) ?? []) {
      const circle = visit(next, [...way, path]);
      if (circle) return circle;
    }
    done.add(path);
    return undefined;
  };
  for (const path of graph.keys()) {
    const circle = visit(path, []);
    if (circle) return circle;
  }
  return undefined;
}

describe("imports", () => {
  it("are found, and a circle of them too", () => {
    const graph = graphOf(join(WEB, "packages/core/src"));
    expect(graph.get("thread/current.ts")).toContain("thread/ops.ts"); // a type
    expect(graph.get("client.ts")).toContain("thread/ops.ts"); // loaded later
    expect(circleIn(new Map([["a", ["b"]], ["b", ["c"]], ["c", ["b"]]]))).toEqual(["b", "c", "b"]); // prettier-ignore
    expect(circleIn(new Map([["a", ["b", "c"]], ["b", ["c"]]]))).toBeUndefined(); // prettier-ignore
  });

  it.each(PACKAGES)("go round in no circle in %s", (name) => {
    expect(circleIn(graphOf(join(WEB, name, "src")))?.join(" → ")).toBeUndefined();
  });

  it("point down between the folders of the core", () => {
    const level = (path: string) => FOLDERS.indexOf(dirname(path));
    const wrong = [...graphOf(join(WEB, "packages/core/src"))].flatMap(([path, imports]) =>
      imports.filter((to) => level(path) < 0 || level(to) > level(path)).map((to) => `${path} → ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  it("are made later at the three seams of the core alone", () => {
    const folder = join(WEB, "packages/core/src");
    const later = [...graphOf(folder).keys()].flatMap((path) =>
      [...readFileSync(join(folder, path), "utf8").matchAll(/\bimport\("([^"]+)"\)/g)].map(([, to]) => [
        path,
        relative(folder, join(folder, dirname(path), to!)).replace(/\.js$/, ".ts"),
      ]),
    );
    expect(Object.fromEntries(later)).toEqual(SEAMS);
    expect(later).toHaveLength(3);
  });
});
