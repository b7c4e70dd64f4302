// @vitest-environment node
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as testing from "../src/index.js";
import * as testingReact from "../src/react.js";

const page = readFileSync(new URL("../../../../docs/sdk/testing.md", import.meta.url), "utf8");

it.each([...Object.keys(testing), ...Object.keys(testingReact)].filter((name) => name !== "parseRecording"))(
  "the documentation tells of %s",
  (name) => {
    expect(page).toMatch(new RegExp(`\\b${name}\\b`));
  },
);

it("needs no React beside `renderWithAssistant`, and no test runner at all", () => {
  const folder = new URL("../src/", import.meta.url);
  const foreign = readdirSync(folder).flatMap((name) => {
    const source = readFileSync(new URL(name, folder), "utf8");
    const imports = [...source.matchAll(/^(?:import|export) [^"]*from "([^."][^"]*)"/gm)].map(([, from]) => from);
    return imports
      .filter((from) => !from!.startsWith("@pageside/core") && from !== "@ag-ui/core")
      .map((from) => [name, from]);
  });
  expect(foreign).toEqual([
    ["react.tsx", "@pageside/react"],
    ["react.tsx", "@testing-library/react"],
    ["react.tsx", "react"],
  ]);
});
