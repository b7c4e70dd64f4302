/**
 * What every Vite and Vitest configuration of the workspace shares: the packages are taken from
 * their TypeScript sources, so nothing has to be built before an application or a test runs.
 */
import { fileURLToPath } from "node:url";
import { isolate } from "./scripts/isolate.mjs";
import "./scripts/panel-styles.mjs";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** For `resolve.alias`. The order matters: the longer path comes first. */
export const sourceAliases = [
  { find: "@pageside/react/tray.css", replacement: source("./packages/react/src/styles/tray.css") },
  {
    find: /^@pageside\/context-provider\/ui-actions$/,
    replacement: source("./packages/context-provider/src/ui-actions/index.ts"),
  },
  {
    find: /^@pageside\/context-provider\/testing$/,
    replacement: source("./packages/context-provider/src/testing.tsx"),
  },
  {
    find: /^@pageside\/context-provider\/(chat|rison)$/,
    replacement: source("./packages/context-provider/src/$1.ts"),
  },
  { find: /^@pageside\/context-provider$/, replacement: source("./packages/context-provider/src/index.ts") },
  { find: /^@pageside\/react\/charts$/, replacement: source("./packages/react/src/charts.ts") },
  { find: /^@pageside\/react\/markdown$/, replacement: source("./packages/react/src/markdown/index.ts") },
  { find: /^@pageside\/react\/tray$/, replacement: source("./packages/react/src/tray/index.ts") },
  { find: /^@pageside\/react$/, replacement: source("./packages/react/src/index.ts") },
  { find: /^@pageside\/testing\/react$/, replacement: source("./packages/testing/src/react.tsx") },
  { find: /^@pageside\/testing$/, replacement: source("./packages/testing/src/index.ts") },
  {
    find: /^@pageside\/core\/(agui|calls|events|mentions|messages|running|server|sse)$/,
    replacement: source("./packages/core/src/$1.ts"),
  },
  { find: /^@pageside\/core$/, replacement: source("./packages/core/src/index.ts") },
];

/**
 * For `plugins`: the tray's style sheet as it is shipped, so that a page's own rules do not reach
 * into the tray.
 */
export const isolatedStyles = () => ({
  name: "pageside:isolated-styles",
  transform: (code: string, id: string) => (/[/\\]styles[/\\]tray\.css(?:$|\?)/.test(id) ? isolate(code) : undefined),
});
