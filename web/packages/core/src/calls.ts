/** The calls of tools, for pages that draw or drive them themselves. */
export { pageAllowancesOf } from "./tools/asking.js";
export { ACTION, type MadeTool } from "./tools/registry.js";
export { pageCallsOf, updateToolCall } from "./tools/page-calls.js";
