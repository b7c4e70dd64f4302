/** The message box beyond writing and sending: loaded in one piece. See `later.ts`. */
export { panelsPart } from "../panels/load.js";
export { Parts } from "./Parts.js";
