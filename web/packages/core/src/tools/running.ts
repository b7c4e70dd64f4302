/** The code that runs tools, loaded in one piece. See `load.ts`. */
export { claimed } from "./claims.js";
export { runCall } from "./run-call.js";
export { retrieve } from "./retrieve.js";
export { runHere, runTools } from "./runner.js";
