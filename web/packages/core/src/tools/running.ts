/** The code that runs tools, loaded in one piece. See `load.ts`. */
export { unclaimed } from "./claims.js";
export { runCall } from "./run-call.js";
export { lateResult } from "./results.js";
export { retrieve } from "./retrieve.js";
export { runHere, runTools } from "./runner.js";
