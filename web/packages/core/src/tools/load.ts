/**
 * Loads the code that runs tools, with its validator. Called when the first one is
 * offered, so that a page without any does not load it.
 */
export const loadRunning = () => import("./running.js");
