/** The message box beyond writing and sending: loaded in one piece. See `later.ts`. */
export { Queue } from "../queue/Queue.js";
export { Parts } from "./Parts.js";

/** Loads the next part from here, so that what both use is in this one. */
export const loadPanels = () => import("../panels/part.js");
