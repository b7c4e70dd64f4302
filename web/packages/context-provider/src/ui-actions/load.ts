/**
 * Loads the code that runs actions, with its validator. Called when the first one runs, or is
 * offered to the browser, so that a page which only registers some does not load it.
 */
export const loadRunning = () => import("./running.js");
