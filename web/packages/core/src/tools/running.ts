/** The code that runs tools and UI actions, loaded in one piece. See `load.ts`. */
export { runCall } from "./run-call.js";
export { retrieve } from "./retrieve.js";
export { runHere, runTools } from "./runner.js";
export { run, runAttached, runCommand, runConfirmed, runIfOpen } from "./ui-actions-run.js";
export { expose } from "./web-mcp.js";
