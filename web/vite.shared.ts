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
    find: /^@pageside\/react\/context-provider$/,
    replacement: source("./packages/react/src/context-provider.ts"),
  },
  { find: /^@pageside\/react\/tray$/, replacement: source("./packages/react/src/tray/index.ts") },
  { find: /^@pageside\/react$/, replacement: source("./packages/react/src/index.ts") },
  { find: /^@pageside\/testing\/react$/, replacement: source("./packages/testing/src/react.tsx") },
  { find: /^@pageside\/testing$/, replacement: source("./packages/testing/src/index.ts") },
  { find: /^@pageside\/core\/agui$/, replacement: source("./packages/core/src/agui.ts") },
  { find: /^@pageside\/core\/calls$/, replacement: source("./packages/core/src/calls.ts") },
  { find: /^@pageside\/core\/chat$/, replacement: source("./packages/core/src/chat.ts") },
  { find: /^@pageside\/core\/mentions$/, replacement: source("./packages/core/src/mentions.ts") },
  { find: /^@pageside\/core\/rison$/, replacement: source("./packages/core/src/rison.ts") },
  { find: /^@pageside\/core\/server$/, replacement: source("./packages/core/src/server.ts") },
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
