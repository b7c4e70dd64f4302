/** The code that runs actions, loaded in one piece. See `load.ts`. */
export { runCall } from "@pageside/core/running";
export { run, runAttached, runCommand, runConfirmed, runIfOpen } from "./run.js";
export { expose } from "./web-mcp.js";
