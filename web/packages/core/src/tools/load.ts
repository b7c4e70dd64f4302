/**
 * Loads what runs tools and UI actions, with the validator of their arguments: when the first one is
 * offered. A page that only shows the assistant does not pay for it.
 */
export const loadRunning = () => import("./running.js");
