/**
 * The tests of `compat/test` with both versions of React. The long version also runs those of the
 * React package with React 18. This workspace has React 18 among its own modules; the others have
 * the newest.
 */
import { fileURLToPath } from "node:url";
import { isLong } from "../long.ts";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Everything that asks for React gets this one, with its extension: Node looks for no other. */
const reactFrom = (modules: string) => [
  { find: /^(react|react-dom)$/, replacement: `${modules}/$1/index.js` },
  { find: /^(react|react-dom)\/(.+?)(?:\.js)?$/, replacement: `${modules}/$1/$2.js` },
  // Its other form, CommonJS, would ask Node for React.
  {
    find: /^@testing-library\/react$/,
    replacement: path("../node_modules/@testing-library/react/dist/@testing-library/react.esm.js"),
  },
];

const world = (version: number, modules: string, folders: string[]) => ({
  name: `react ${version}`,
  folders,
  alias: reactFrom(path(modules)),
  env: { REACT_VERSION: String(version) },
  server: { deps: { inline: [/@testing-library\/react/] } },
});

export const reacts = [
  world(18, "./node_modules", isLong ? ["compat/test", "packages/react/test"] : ["compat/test"]),
  world(19, "../node_modules", ["compat/test"]),
];
