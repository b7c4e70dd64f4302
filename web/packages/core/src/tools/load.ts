/** Loads the code that runs tools, with its validator. Begun with the first call of one. */
export const loadRunning = () => import("./running.js");
