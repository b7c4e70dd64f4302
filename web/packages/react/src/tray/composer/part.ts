/** The message box beyond writing and sending: loaded in one piece. See `later.ts`. */
export { panelsPart } from "../panels/load.js";
export { Queue } from "../queue/Queue.js";
export { Parts } from "./Parts.js";
